import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { didYouMean, inQuotes } from '../../basics/nearest.ts';
import { isRecord } from '../../basics/plain-object.ts';
import { type Decision, isDecision } from '../../policy/verdict.ts';
import { findJsonFault } from '../../schema/json-faults.ts';
import type { ToolCall } from '../../types.ts';
import { reasonOf, Unusable } from '../errors.ts';

/** One line of a table: a call, and what should be decided about it. */
export interface Expectation {
  readonly line: number;
  readonly call: ToolCall;
  /** Default: the mode of the configuration. */
  readonly mode: string | undefined;
  readonly expect: Decision;
  /** The rule, policy or mode that should decide. Default: any. */
  readonly by: string | undefined;
}

const members = ['name', 'arguments', 'mode', 'expect', 'by', 'note'];
const form =
  'a line is {"name": "...", "arguments": {...}, "expect": "allow" | "ask" | "deny"}, with "mode", "by" and "note" if wanted';

/** Reads a table of calls with their expected verdicts, one JSON object a line. Throws {@link Unusable} with file and line. */
export async function readTable(named: string, cwd: string): Promise<readonly Expectation[]> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, named), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Unusable(`There is no file ${named}.`);
    throw new Unusable(`${named} could not be read: ${reasonOf(error)}`);
  }
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const table = lines.flatMap((line, at) => (line.trim() === '' ? [] : [expectation(line, at + 1, named)]));
  // A table that was emptied by mistake must not pass for one that holds.
  if (table.length === 0) throw new Unusable(`${named} has no lines; ${form}.`);
  return table;
}

function expectation(text: string, line: number, named: string): Expectation {
  const fault = (problem: string, column = 1): Unusable => new Unusable(`${named}:${line}:${column}: ${problem}`);
  const found = findJsonFault(text, 1_000);
  if (found !== undefined) {
    const problem = found.kind === 'duplicate' ? `the key "${found.key}" stands twice` : 'the line is not JSON here';
    throw fault(problem, [...text.slice(0, found.index)].length + 1);
  }
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw fault(`expected an object; ${form}`);
  for (const member of Object.keys(value)) {
    if (members.includes(member)) continue;
    const hint = didYouMean(member === 'tool' ? 'name' : member, members, 'aside', inQuotes);
    throw fault(`a line has no member "${member}"${hint}; ${form}`);
  }
  const { name, arguments: args, mode, expect, by } = value as Record<string, unknown>;
  if (typeof name !== 'string') throw fault(`"name" must be text; ${form}`);
  if (!isDecision(expect)) throw fault('"expect" must be allow, ask or deny');
  if (mode !== undefined && typeof mode !== 'string') throw fault('"mode" must be text');
  if (by !== undefined && typeof by !== 'string') throw fault('"by" must be text');
  return { line, call: { name, ...(args !== undefined && { arguments: args }) }, mode, expect, by };
}
