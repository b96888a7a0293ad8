import type { Tool } from '../tool.ts';
import { editFile } from './edit-file.ts';
import { fetchUrl } from './fetch-url.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { runPython } from './run-python.ts';
import { runShell } from './run-shell.ts';
import { searchFiles } from './search-files.ts';
import { writeFile } from './write-file.ts';

export { add } from './add.ts';
export { type BrowserOpenOptions, browserOpen } from './browser-open.ts';
export { echo } from './echo.ts';
export { multiply } from './multiply.ts';
export { type SearxngOptions, searxng } from './searxng.ts';
export { type SearchEngine, type SearchResult, type WebSearchOptions, webSearch } from './web-search.ts';
export { editFile, fetchUrl, listFiles, readFile, runPython, runShell, searchFiles, writeFile };

/** The tools for files. They need the `pathGuard` stage, which gives them their access. */
export const fileTools: readonly Tool[] = [readFile, writeFile, editFile, listFiles, searchFiles];
