/** How one kind of secret is recognized in text. */
export interface SecretPattern {
  /** Names the kind in the mark that takes the secret's place, such as `github`: lower-case letters and `-`. */
  readonly type: string;
  /** Texts of which at least one is part of every such secret: where none of them occurs, the pattern is not run. */
  readonly triggers: readonly string[];
  /** Needs the `g` flag. Keep every repetition bounded, or of characters that a failed match cannot revisit. */
  readonly pattern: RegExp;
  /** A second look at what the pattern found; `false` leaves it. Default: everything is redacted. */
  readonly accept?: (found: string) => boolean;
  /** Which capture group holds the secret. Default: all that was found. */
  readonly group?: string;
}

/** No secret of the built-in patterns is shorter, apart from the password in a URL. */
export const shortestSecret = 15;

/**
 * The kinds that are recognized without being told. In order: those that any text may stand around come first, those that
 * need a word boundary last, so that what the first leave behind is seen by the last.
 *
 * No pattern can be made to run long: a match takes all the characters it looked at, so each is looked at once.
 */
export const secretPatterns: readonly SecretPattern[] = [
  { type: 'aws', triggers: ['AKIA', 'ASIA'], pattern: /A[KS]IA[A-Z0-9]{16}/g },
  {
    type: 'aws',
    triggers: ['ecret', 'ECRET'],
    pattern:
      /(?:aws_?)?secret_?(?:access_?)?key["']?\s{0,3}[=:]\s{0,3}["']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi,
    group: 'secret',
  },
  {
    type: 'github',
    triggers: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: /gh[pousr]_[A-Za-z0-9]{36,}/g,
  },
  { type: 'github', triggers: ['github_pat_'], pattern: /github_pat_[A-Za-z0-9_]{22,}/g },
  { type: 'gitlab', triggers: ['glpat-'], pattern: /glpat-[A-Za-z0-9_-]{20,}/g },
  { type: 'slack', triggers: ['xox', 'xapp-'], pattern: /(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}/g },
  { type: 'google', triggers: ['AIza'], pattern: /AIza[A-Za-z0-9_-]{35}/g },
  { type: 'npm', triggers: ['npm_'], pattern: /npm_[A-Za-z0-9]{36}/g },
  { type: 'stripe', triggers: ['k_live_', 'k_test_'], pattern: /[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  {
    type: 'jwt',
    triggers: ['eyJ'],
    pattern: /eyJ[A-Za-z0-9_-]{5,}(?:\.eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*)?/g,
    accept: (found) => found.includes('.'),
  },
  {
    type: 'api-key',
    triggers: ['sk-'],
    // Of OpenAI, Anthropic and many others. The boundary spares `task-` and `disk-`; the second look spares CSS classes.
    pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}/g,
    accept: (found) => /[0-9A-Z]|[a-z]{20}/.test(found.slice(3)),
  },
  {
    type: 'bearer',
    triggers: ['earer', 'EARER'],
    pattern: /(?<=\b(?:[Bb]earer|BEARER)\s)[A-Za-z0-9._~+/-]{16,}=*/g,
    accept: (found) => /[0-9]/.test(found),
  },
  {
    type: 'credentials',
    triggers: ['://'],
    pattern: /(?<=:\/\/)(?!\[redacted:[a-z-]+\]@)[^\s/@:"'`<>]{0,256}:[^\s/"'`<>]{1,256}(?=@)/g,
    // A template such as `://${user}:${password}@` holds no secret.
    accept: (found) => !/^(?:\$\{[^}]*\}|\$[A-Z_]+|\{+[^}]*\}+|%s|\*+)$/.test(found.slice(found.indexOf(':') + 1)),
  },
];
