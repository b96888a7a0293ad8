// Names that networks keep for themselves: reserved by RFC 6761, 6762, 8375 and 9476, or used so by routers and clouds.
const localSuffixes = [
  'localhost',
  'local',
  'internal',
  'localdomain',
  'home.arpa',
  'lan',
  'home',
  'corp',
  'intranet',
  'private',
  'onion',
  'alt',
].map((suffix) => `.${suffix}`);

/** Whether a canonical host name is kept for local use, or for a cloud's metadata. */
export function isLocalName(name: string): boolean {
  if (name.startsWith('metadata.') || name === 'metadata') return true;
  const dotted = `.${name}`;
  return localSuffixes.some((suffix) => dotted.endsWith(suffix));
}
