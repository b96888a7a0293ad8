const reserved = /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)$/i;

/**
 * What Windows would make of one component of a path, if anything but a plain file: a device, a stream, a short name.
 * To be asked of the raw components, before any `..` is resolved: `AUX:..\..\x` otherwise loses its device name.
 */
export function suspiciousOnWindows(
  component: string,
): 'device' | 'stream' | 'trailing' | 'wildcard' | 'short-name' | undefined {
  const base = component.split(/[.:]/, 1)[0]?.trimEnd() ?? '';
  if (reserved.test(base)) return 'device';
  if (component.includes(':')) return 'stream';
  if (/[. ]$/.test(component)) return 'trailing';
  if (/[<>"|?*]/.test(component)) return 'wildcard';
  return /~\d/.test(component) ? 'short-name' : undefined;
}
