import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { canonicalJson } from '../basics/canonical-json.ts';
import { didYouMean } from '../basics/nearest.ts';
import type { Approve } from '../policy/approval.ts';
import { jsonOf } from '../policy/file.ts';
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
    if (members.includes(member)) continue;
    throw new Unusable(`${at} has "${member}"; there are ${members.join(', ')}.${didYouMean(member, members)}`);
  }
  return entry as RecordedAnswer;
}

async function readJson(path: string, name: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Unusable(`The answers in ${name} could not be read: ${reasonOf(error)}`);
  });
  try {
    return jsonOf(text, name);
  } catch (error) {
    throw new Unusable(reasonOf(error));
  }
}
