import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { canonicalJson } from '../canonical-json.ts';
import type { Approve } from '../policy/approval.ts';
import { findJsonFault } from '../schema/json-faults.ts';
import type { RecordedAnswer } from './define-config.ts';
import { reasonOf, Unusable } from './errors.ts';

/**
 * Answers questions from a recording. An answer counts only for exactly the call that it was recorded for; to any other
 * question the answer is no. Takes the name of a JSON file with a list, or the list.
 */
export async function recordedAnswers(given: string | readonly RecordedAnswer[]): Promise<Approve> {
  const name = typeof given === 'string' ? basename(given) : 'answers';
  const list: unknown = typeof given === 'string' ? await readJson(given, name) : given;
  if (!Array.isArray(list)) throw new Unusable(`${name} must be a list of { call_id, tool, arguments, answer }.`);
  const entries = list.map((entry: unknown, index) => checked(entry, name, index));
  const answers = new Map(entries.map((entry) => [keyOf(entry), entry.answer]));
  return ({ callId, tool, arguments: args }) =>
    answers.get(keyOf({ call_id: callId, tool, arguments: args })) ?? {
      decision: 'deny',
      reason: 'nobody is asked in this run, and the recording has no answer for exactly this call',
    };
}

function keyOf(call: Pick<RecordedAnswer, 'call_id' | 'tool' | 'arguments'>): string {
  return canonicalJson([call.call_id, call.tool, call.arguments]);
}

const members = ['call_id', 'tool', 'arguments', 'answer'];

function checked(entry: unknown, name: string, index: number): RecordedAnswer {
  const at = `${name}: entry ${index}`;
  if (typeof entry !== 'object' || entry === null) throw new Unusable(`${at} must be an object.`);
  const { call_id: id, tool } = entry as Partial<RecordedAnswer>;
  if (typeof id !== 'string' || typeof tool !== 'string')
    throw new Unusable(`${at} needs call_id and tool, both text.`);
  for (const member of members) {
    if (!Object.hasOwn(entry, member)) throw new Unusable(`${at} needs "${member}".`);
  }
  for (const member of Object.keys(entry)) {
    if (!members.includes(member)) throw new Unusable(`${at} has "${member}"; there are ${members.join(', ')}.`);
  }
  return entry as RecordedAnswer;
}

async function readJson(path: string, name: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new Unusable(`The answers in ${name} could not be read: ${reasonOf(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    const fault = findJsonFault(text, 1_000);
    if (fault === undefined) throw new Unusable(`${name} is not JSON.`);
    const before = text.slice(0, fault.index).split('\n');
    const problem = fault.kind === 'duplicate' ? 'a key stands twice in one object' : fault.problem;
    throw new Unusable(`${name}:${before.length}:${(before.at(-1) ?? '').length + 1}: ${problem}`);
  }
}
