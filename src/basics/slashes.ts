/** A path of the system as rules, guards and effects have it: with `/` between its parts, under Windows too. */
export function withSlashes(path: string): string {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
}
