import { createSecretFinder, escapeRegExp, shortestKnownSecret } from './known-secrets.ts';
import { findPrivateKeys, keyHeader } from './private-keys.ts';
import { type SecretPattern, secretPatterns, shortestSecret } from './secret-patterns.ts';

export interface RedactorOptions {
  /**
   * Values that are known to be secret, such as those of environment variables. Also found in base64, URL-encoded and
   * JSON-escaped form. Values of fewer than 8 characters are ignored, because they occur by chance. Default: none.
   */
  readonly secrets?: readonly string[];
  /** Further kinds of secrets, looked for before the built-in ones. Default: none. */
  readonly patterns?: readonly SecretPattern[];
}

/** A part of a text, and what kind of secret it is. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly type: string;
}

/** Gets the kinds of secrets that were found, such as a `Set`. */
export interface Found {
  add(type: string): unknown;
}

export interface Redactor {
  /** No secret is shorter, in characters, apart from the password in a URL. */
  readonly shortest: number;
  /**
   * Puts `[redacted:type]` in the place of every secret that is recognized. Doing it again changes nothing more.
   * The kinds that were found are added to `found`.
   */
  redact(text: string, found?: Found): string;
}

/**
 * Makes a redactor: first for values that are known to be secret, then for the forms of AWS, GitHub, GitLab, Slack,
 * Google, npm, Stripe and `sk-` keys, JSON Web Tokens, bearer tokens, private keys in PEM form and passwords in URLs.
 *
 * It is a net against accidents, not against a model or a tool that encodes what it wants to get out.
 *
 * @example
 * const { redact } = createRedactor({ secrets: [process.env.API_TOKEN ?? ''] });
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const { secrets = [], patterns = [] } = options;
  for (const secret of secrets) {
    if (typeof secret !== 'string') throw new TypeError('Every entry of `secrets` must be a text.');
  }
  for (const { type, pattern, triggers } of patterns) {
    if (triggers.length === 0 || triggers.includes('')) {
      throw new TypeError(`The secret "${type}" needs at least one trigger: a text that is part of every such secret.`);
    }
    if (!/^[a-z][a-z-]*$/.test(type)) {
      throw new TypeError(`The type ${JSON.stringify(type)} of a secret must be lower-case letters and "-".`);
    }
    if (!pattern.global) throw new TypeError(`The pattern of the secret "${type}" needs the g flag.`);
  }
  const findSecrets = createSecretFinder(secrets);
  const all = [...patterns, ...secretPatterns];
  // One look at the text for all of them: most texts hold none, and are done with.
  const anyTrigger = new RegExp([keyHeader, ...all.flatMap(({ triggers }) => triggers)].map(escapeRegExp).join('|'));
  const shortest = patterns.length > 0 ? 1 : findSecrets ? shortestKnownSecret : shortestSecret;

  function redact(text: string, found?: Found): string {
    if (text.length < shortest && !text.includes('://')) return text;
    let clean = text;
    if (findSecrets) clean = replaceSpans(clean, findSecrets(clean), found);
    if (!anyTrigger.test(clean)) return clean;
    if (clean.includes(keyHeader)) clean = replaceSpans(clean, findPrivateKeys(clean), found);
    for (const kind of all) {
      if (kind.triggers.some((trigger) => clean.includes(trigger))) clean = replacePattern(clean, kind, found);
    }
    return clean;
  }
  return { shortest, redact };
}

function replacePattern(text: string, { type, pattern, accept, group }: SecretPattern, found?: Found): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    if (accept && !accept(match)) return match;
    found?.add(type);
    const mark = `[redacted:${type}]`;
    if (group === undefined) return mark;
    const secret = (rest.at(-1) as Record<string, string>)[group]!;
    return match.replace(secret, mark);
  });
}

/** Overlapping parts become one mark, so that no remnant of a secret stays between two marks. */
function replaceSpans(text: string, spans: Span[], found?: Found): string {
  if (spans.length === 0) return text;
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let clean = '';
  let done = 0;
  for (const { start, end, type } of spans) {
    if (end <= done) continue;
    if (start >= done) {
      clean += `${text.slice(done, start)}[redacted:${type}]`;
      found?.add(type);
    }
    done = end;
  }
  return clean + text.slice(done);
}
