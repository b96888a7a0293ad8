import { resolve } from 'node:path';
import { didYouMean } from '../../basics/nearest.ts';
import { forLog } from '../../output/control-characters.ts';
import { type PolicyFile, readPolicyFile } from '../../policy/file.ts';
import { type LintFinding, lint } from '../../policy/lint.ts';
import { effectText } from '../../policy/question.ts';
import { type Command, command } from '../command.ts';
import { exitStatus, reasonOf, Unusable, UsageError } from '../errors.ts';
import { type Io, print } from '../io.ts';
import { type Checked, checkLine, verdictOf } from '../policy/check-table.ts';
import { judgeOf } from '../policy/judge.ts';
import { readTable } from '../policy/table.ts';
import { openSession, type Session } from '../session.ts';
import { helpOption, sessionOptions } from '../session-options.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import type { Parsed } from '../usage.ts';

const help = {
  usage: 'callgate policy lint | explain NAME [ARGUMENTS] | test TABLE',
  about: `Shows what the rules of the configuration mean. Nothing runs and nobody is asked.

  lint              rules that can never match, are covered by others, or mean more than they seem to
  explain NAME ARGS what would be decided about a call, by which rule, and in every other mode
  test TABLE        holds a file of calls against the verdicts it expects, one JSON object a line:
                    {"name": "write_file", "arguments": {"path": ".env"}, "expect": "deny"}
                    with "mode" and with "by" (the rule that decides) where that matters`,
  options: {
    ...sessionOptions,
    rules: { type: 'string', value: 'FILE', help: 'with lint: the rules in this file instead' },
    json: { type: 'boolean', help: 'as JSON' },
    ...helpOption,
  },
  more: `Exit status: 0 when there is nothing to say against the rules, 1 when lint has found something or a line of the table
does not hold, 2 when something cannot be used. explain: 0.`,
} as const;

type Arguments = Parsed<(typeof help)['options']>;
type Values = Arguments['values'];
type Action = (rest: readonly string[], values: Values, io: Io, session: Session) => Promise<number>;

const actions: Readonly<Record<string, Action>> = { lint: lintRules, explain: explainCall, test: testTable };

/** `callgate policy`. */
export const policyCommand: Command = command(help, look);

async function look({ values, positionals }: Arguments, io: Io): Promise<number> {
  const [name, ...rest] = positionals;
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) throw new UsageError(unknownAction(name), help.usage);
  if (values.rules !== undefined && name !== 'lint') throw new UsageError('--rules goes with lint.', help.usage);
  const session = await openSession(values, io.cwd);
  try {
    return await action(rest, values, io, session);
  } finally {
    await session.close();
  }
}

function unknownAction(name: string | undefined): string {
  const names = Object.keys(actions);
  if (name === undefined) return `Say what to do: ${names.join(', ')}.`;
  return `policy cannot ${name}.${didYouMean(name, names)} There are ${names.join(', ')}.`;
}

async function lintRules(rest: readonly string[], values: Values, io: Io, session: Session): Promise<number> {
  if (rest.length > 0) throw new UsageError(`lint takes no argument ${rest[0]}; name a file by --rules.`, help.usage);
  const findings =
    values.rules === undefined ? await judgeOf(session.router).lint() : lintFile(values.rules, io, session);
  const style = styleFor(io.stdout, io.env);
  const text = findings.map(
    ({ rule, kind, message }) => `${style.bold(forLog(rule))} ${style.yellow(kind)}\n  ${forLog(message)}\n`,
  );
  const end = findings.length === 0 ? 'Nothing to say against the rules.\n' : '';
  await print(io.stdout, values.json ? `${JSON.stringify(findings, null, 2)}\n` : text.join('') + end);
  return findings.length === 0 ? exitStatus.done : exitStatus.failed;
}

function lintFile(named: string, io: Io, { router }: Session): readonly LintFinding[] {
  let file: PolicyFile;
  try {
    file = readPolicyFile(resolve(io.cwd, named));
  } catch (error) {
    throw new Unusable(`${named}: ${reasonOf(error)}`);
  }
  const { rules, modes } = file;
  if (rules.length === 0) throw new Unusable(`${named} has no rules to look at.`);
  return lint(rules, { tools: router.registry.list(), ...(modes !== undefined && { modes }) });
}

async function explainCall(rest: readonly string[], values: Values, io: Io, { router }: Session): Promise<number> {
  const [name, args, ...others] = rest;
  if (name === undefined) throw new UsageError('Name the tool of the call to explain.', help.usage);
  if (others.length > 0)
    throw new UsageError('The arguments are one piece of JSON text: put it in quotes.', help.usage);
  const call = { name, ...(args !== undefined && { arguments: args }) };
  const judgement = await judgeOf(router).judge(call, router.mode);
  const { decision, by, reason } = verdictOf(judgement);
  const { explanation, effects = [] } = judgement;
  if (values.json) {
    const { matches = [], modes = {} } = explanation ?? {};
    const known = { name, arguments: judgement.arguments, effects, mode: router.mode };
    await print(io.stdout, `${JSON.stringify({ ...known, decision, by, reason, matches, modes }, null, 2)}\n`);
    return exitStatus.done;
  }
  const style = styleFor(io.stdout, io.env);
  const line = (head: string, text: string): string => `  ${style.dim(head.padEnd(8))}${text}\n`;
  const lines = [
    `${style.bold(forLog(name))}: ${coloured(decision, style)}\n`,
    line('by', forLog(by)),
    ...(reason === undefined ? [] : [line('because', forLog(reason))]),
    line('mode', forLog(router.mode)),
  ];
  if (explanation !== undefined) {
    const { matches, modes } = explanation;
    lines.push(line('with', forLog(JSON.stringify(judgement.arguments) ?? '')));
    for (const [at, effect] of effects.entries()) lines.push(line(at === 0 ? 'does' : '', forLog(effectText(effect))));
    for (const [at, { rule, decision: said, reason: why }] of matches.entries()) {
      const because = why === undefined ? '' : `: ${forLog(why)}`;
      lines.push(line(at === 0 ? 'rules' : '', `${coloured(said, style)} by ${forLog(rule)}${because}`));
    }
    const others = Object.entries(modes).map(([mode, there]) => `${forLog(mode)} ${coloured(there, style)}`);
    lines.push(line('modes', others.join(', ')));
  }
  await print(io.stdout, lines.join(''));
  return exitStatus.done;
}

function coloured(decision: string, style: Style): string {
  if (decision === 'allow') return style.green(decision);
  return decision === 'ask' ? style.yellow(decision) : style.red(forLog(decision));
}

async function testTable(rest: readonly string[], values: Values, io: Io, { router }: Session): Promise<number> {
  const [named, ...others] = rest;
  if (named === undefined) throw new UsageError('Name the table: a file of calls with what is expected.', help.usage);
  if (others.length > 0) throw new UsageError(`One table at a time; there is also ${others[0]}.`, help.usage);
  const table = await readTable(named, io.cwd);
  const judge = judgeOf(router);
  const checked: Checked[] = [];
  for (const expectation of table) checked.push(await checkLine(judge, expectation, router.mode));
  const failed = checked.filter(({ holds }) => !holds);
  const passed = checked.length - failed.length;
  if (values.json) {
    const plain = failed.map(({ expectation: { line, call, expect, by }, ...found }) => ({
      line,
      ...call,
      mode: found.mode,
      expected: { decision: expect, by },
      found: { decision: found.decision, by: found.by, reason: found.reason },
    }));
    await print(io.stdout, `${JSON.stringify({ lines: checked.length, passed, failed: plain }, null, 2)}\n`);
  } else {
    const style = styleFor(io.stdout, io.env);
    const end = `${checked.length} lines, ${passed} as expected, ${failed.length} not\n`;
    await print(io.stdout, failed.map((one) => difference(named, one, style)).join('') + end);
  }
  return failed.length === 0 ? exitStatus.done : exitStatus.failed;
}

function difference(named: string, { expectation, mode, decision, by, reason }: Checked, style: Style): string {
  const { line, call, expect, by: wanted } = expectation;
  const args = call.arguments === undefined ? '' : ` ${JSON.stringify(call.arguments)}`;
  const expected = `- ${expect}${wanted === undefined ? '' : ` by ${wanted}`}`;
  const found = `+ ${decision} by ${by}${reason === undefined ? '' : `: ${reason}`}`;
  return [
    `${style.bold(forLog(`${named}:${line}`))} ${forLog(`${call.name}${args}`)} ${style.dim(forLog(`(mode ${mode})`))}`,
    `  ${style.green(forLog(expected))}`,
    `  ${style.red(forLog(found))}\n`,
  ].join('\n');
}
