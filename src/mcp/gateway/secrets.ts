import { createRedactor } from '../../output/redact.ts';

/** What a variable is called whose value is nobody else's business, besides what is called so in arguments. */
const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** The same of arguments, headers and parameters of a URL, of which many a "key" is none: `--sort-key`. */
const secretPart =
  /(?:(?:api|access|account|auth|private|secret|signing|encryption|subscription)[-_.]?key|token|secret|password|passwd|passphrase|credentials?|auth|authorization|cookie|sig|signature|(?:^|[-_.])pass|\w[-_.]pwd)$/i;

/** A name and what it stands for: `--token=abc`, `TOKEN=abc`, `Authorization: Bearer abc`. */
const named = /^-{0,2}([\w.-]+)\s*[=:]\s*(.+)$/s;

/** What is secret of a variable: all of it, if its name says so, or what is secret in an address. */
export function secretsInVariable(name: string, value: string): readonly string[] {
  if (value === '') return [];
  if (secretName.test(name)) return [value];
  return secretPart.test(name) ? [withoutScheme(value)] : secretsInAddress(value);
}

/** Those of a program's arguments, or parts of them, that their names say are secret. */
export function secretsInArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const next = args[at + 1];
    const isName = /^--?[\w.-]+$/.test(arg) && secretPart.test(arg);
    const follows = isName && next !== undefined && !next.startsWith('-') ? [withoutScheme(next)] : [];
    return [...follows, ...secretsIn(arg)];
  });
}

/** The user's password in a URL, and those of its parameters whose names say that they are secret. */
export function secretsInAddress(address: string): readonly string[] {
  if (!address.includes('://') || !URL.canParse(address)) return [];
  const { password, searchParams } = new URL(address);
  const parameters = [...searchParams].flatMap(([name, value]) => (secretPart.test(name) ? [value] : []));
  return [decoded(password), password, ...parameters].filter((value) => value !== '');
}

/** Of `Bearer abc` it is `abc` that nobody may see; of several words, all. */
export function withoutScheme(value: string): string {
  return value.replace(/^\w+ (?=\S+$)/, '');
}

/** Takes values out of a text, and what looks like a secret anyhow. */
export function hiding(secrets: readonly string[]): (text: string) => string {
  const redactor = createRedactor({ secrets });
  return (text) => redactor.redact(text);
}

function secretsIn(text: string): readonly string[] {
  const [, name = '', value = ''] = named.exec(text) ?? [];
  if (secretPart.test(name)) return [withoutScheme(value)];
  return [...secretsInAddress(text), ...(value === '' || text.startsWith(`${name}://`) ? [] : secretsIn(value))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
