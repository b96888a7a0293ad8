import type { Span } from './redact.ts';

/** The shortest value, in characters, that counts as a secret: shorter ones occur by chance. */
export const shortestKnownSecret = 8;

/**
 * Finds values that are known to be secret, and their base64 form at any alignment (as in an `Authorization: Basic`
 * header), base64url, URL-encoded and JSON-escaped forms.
 */
export function createSecretFinder(secrets: readonly string[]): ((text: string) => Span[]) | undefined {
  const forms = [...new Set(secrets.filter(isUsable).flatMap(formsOf))].filter(isUsable);
  if (forms.length === 0) return undefined;
  const any = new RegExp(forms.map(escapeRegExp).join('|'));
  return (text) => {
    const spans: Span[] = [];
    if (!any.test(text)) return spans;
    for (const form of forms) {
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
        spans.push({ start: at, end: at + form.length, type: 'secret' });
      }
    }
    return spans;
  };
}

function isUsable(secret: string): boolean {
  // A piece of the mark itself would be found in every mark.
  return secret.length >= shortestKnownSecret && !'[redacted:secret]'.includes(secret);
}

function formsOf(secret: string): string[] {
  const url = encodeURIComponent(wellFormedForUrl(secret));
  const base64 = [0, 1, 2].map((offset) => base64At(secret, offset));
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    url,
    url.replaceAll('%20', '+'),
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** The characters of the base64 form that depend on the secret alone when `offset` bytes stand before it. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(first, last);
}

function wellFormedForUrl(text: string): string {
  return Buffer.from(text).toString();
}

/** The source of a pattern that matches exactly this text. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
