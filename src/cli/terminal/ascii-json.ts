/** JSON text whose every character is visible: what is not ASCII printable is written as an escape, and means the same. */
export function asciiJson(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
