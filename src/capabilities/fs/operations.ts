/** What reads and changes files; loaded with the first operation of a process. */
export { openLocated } from './open-file.ts';
export { decode, notFound, readLocated } from './reading.ts';
export { judgeTree, listLocated, removeTree } from './tree.ts';
export { beginDraft, inParent, makeFolders, writeAll } from './writing.ts';
