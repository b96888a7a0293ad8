import type { Tool } from '../tool.ts';
import { add } from '../tools/add.ts';
import { echo } from '../tools/echo.ts';
import { listFiles } from '../tools/list-files.ts';
import { multiply } from '../tools/multiply.ts';
import { readFile } from '../tools/read-file.ts';
import { writeFile } from '../tools/write-file.ts';

/** The tools that there are without a configuration. */
export const defaultTools: readonly Tool[] = [echo, add, multiply, readFile, writeFile, listFiles];
