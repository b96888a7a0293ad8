import type { Tool } from '../tool.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { writeFile } from './write-file.ts';

export { listFiles, readFile, writeFile };

/** The tools for files. They need the `pathGuard` stage, which gives them their access. */
export const fileTools: readonly Tool[] = [readFile, writeFile, listFiles] as readonly Tool[];
