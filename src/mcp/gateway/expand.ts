/** The value of an environment variable; `undefined` when it is not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

// The forms that MCP clients read: ${NAME}, ${NAME:-instead} and ${env:NAME}.
const variable = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Puts environment variables in a text: `${NAME}`, `${env:NAME}`, and `${NAME:-instead}` for one that may be missing. All
 * else stays as it is. `used` gets what was put in. Throws a TypeError that names the variable when one is not set.
 */
export function expand(
  text: string,
  environment: Environment,
  used: (name: string, value: string) => void = () => {},
): string {
  return text.replace(variable, (_, name: string, instead: string | undefined) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined && (value !== '' || instead === undefined)) {
      used(name, value);
      return value;
    }
    if (instead !== undefined) return instead;
    throw new TypeError(`the environment variable ${name} is not set`);
  });
}
