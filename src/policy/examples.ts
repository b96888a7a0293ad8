import { isThenable } from '../basics/thenable.ts';
import type { Tool, ToolAnnotations } from '../tool.ts';
import type { Effect } from '../types.ts';
import type { PolicyRequest } from './policy.ts';
import type { CompiledRule } from './rule.ts';
import { entriesOf, RuleError, texts, unknownMember } from './shape.ts';

/** A call, as far as a rule looks at it, for a rule's examples and for tables of expected verdicts. */
export interface ExampleCall {
  readonly tool: string;
  readonly arguments?: unknown;
  readonly effects?: readonly Effect[];
  /** Default `ask`. */
  readonly mode?: string;
  readonly level?: string;
  readonly tags?: readonly string[];
  readonly source?: string;
  readonly annotations?: ToolAnnotations;
}

const members: ReadonlySet<string> = new Set<keyof ExampleCall>([
  'tool',
  'arguments',
  'effects',
  'mode',
  'level',
  'tags',
  'source',
  'annotations',
]);

/** Makes the request that a policy would see of such a call; of a tool that is known, pass it as `tool`. */
export function requestFor(example: ExampleCall, at: string, known?: Tool): PolicyRequest {
  for (const [member] of entriesOf(example, at)) {
    if (!members.has(member)) throw unknownMember(`${at}.${member}`, member, members);
  }
  const { tool: name, level, tags, source, annotations, mode = 'ask', effects = [] } = example;
  texts(name, `${at}.tool`);
  const stub: Tool = {
    name,
    description: '',
    parameters: { type: 'object' },
    ...(level !== undefined && { permission: level }),
    ...(tags !== undefined && { tags }),
    ...(source !== undefined && { source }),
    ...(annotations !== undefined && { annotations }),
    handler: () => undefined,
  };
  const args = example.arguments ?? {};
  const tool = known ?? stub;
  return { tool, arguments: args, effects, mode, run: { id: 'example', mode }, callId: 'example', state: undefined };
}

/** Holds a rule to its examples. Throws a RuleError for the first that turns out otherwise. */
export function checkExamples(rule: CompiledRule, at: string): void {
  for (const [member, expected] of [
    ['match', true],
    ['notMatch', false],
  ] as const) {
    const examples = rule.rule[member];
    if (examples === undefined) continue;
    if (!Array.isArray(examples)) throw new RuleError(`${at}: ${member}`, 'needs a list of calls');
    for (const [index, example] of examples.entries()) {
      const place = `${at}: ${member}[${index}]`;
      const outcome = outcomeOf(rule, requestFor(example, place), place);
      if (expected ? outcome === 'yes' : outcome === 'no') continue;
      const said =
        outcome === 'unsure' ? 'cannot be judged by the rule' : outcome === 'yes' ? 'is matched' : 'is not matched';
      throw new RuleError(place, `${said}, although it should ${expected ? '' : 'not '}be`);
    }
  }
}

function outcomeOf(rule: CompiledRule, request: PolicyRequest, at: string): 'yes' | 'no' | 'unsure' {
  if (!rule.concerns(request.tool)) return 'no';
  const ruling = rule.judge(request);
  if (isThenable(ruling)) {
    Promise.resolve(ruling).catch(() => {});
    throw new RuleError(at, 'cannot be checked, for the rule decides asynchronously');
  }
  if (ruling === undefined) return 'no';
  return ruling.doubtful ? 'unsure' : 'yes';
}
