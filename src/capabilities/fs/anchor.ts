import fs from 'node:fs';
import type { Anchor } from './directory.ts';
import { linuxAnchor, procNamesHandles } from './linux-anchor.ts';
import { pathAnchor } from './path-anchor.ts';

// macOS (sys/fcntl.h): opening fails when any part of the path is a link. Not to be joined with O_NOFOLLOW.
const O_NOFOLLOW_ANY = 0x20000000;

/** The best way that this machine offers. */
export function chooseAnchor(platform: NodeJS.Platform = process.platform): Anchor {
  if (platform === 'linux' && procNamesHandles()) return linuxAnchor;
  return platform === 'darwin'
    ? pathAnchor('no-follow-any', O_NOFOLLOW_ANY)
    : pathAnchor('best-effort', fs.constants.O_NOFOLLOW ?? 0);
}
