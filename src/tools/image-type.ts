/** The media type of an image by its first bytes; nothing for other files and for images that models do not take. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  return head.startsWith('RIFF') && head.slice(8) === 'WEBP' ? 'image/webp' : undefined;
}
