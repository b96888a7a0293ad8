import { type Explanation, explain } from '../../policy/explain.ts';
import { createModes } from '../../policy/modes.ts';
import { offered } from '../../policy/offered.ts';
import { rules } from '../../policy/rules.ts';
import { createRegistry } from '../../registry.ts';
import type { Router } from '../../router.ts';
import type { Tool, ToolAnnotations } from '../../tool.ts';
import { levelOf } from '../client/annotations.ts';
import { type GuardGuess, guessGuards } from '../client/guess-guards.ts';
import type { GuardDeclaration, GuardDeclarations, McpServerConnection } from '../client/types.ts';
import { isDeclared } from '../client/with-guesses.ts';
import type { GatewayConfig } from './config.ts';
import { needsRoots } from './open.ts';

/** What is to be known of a tool before it is let loose. */
export interface InspectedTool {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly string[];
  /** What its server says of it. */
  readonly annotations: ToolAnnotations;
  /** What is declared of it: its level, and which arguments are guarded. */
  readonly guards: GuardDeclaration;
  /** Whether a client is shown it. */
  readonly offered: boolean;
  readonly decision: Explanation['decision'];
  /** The rule or mode that decides. */
  readonly by: string;
  /** There are rules for it that look at the arguments, so that single calls may be decided otherwise. */
  readonly depends: boolean;
  /** What is wrong with its schemas, or probably not meant. */
  readonly schema: readonly string[];
}

/** A server, seen through a gateway. */
export interface Inspection {
  readonly name: string;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly mode: string;
  readonly tools: readonly InspectedTool[];
  /** Guards that do not fit the tools, so that a gateway with them would not start. */
  readonly faults: readonly string[];
  /** Tools that were not taken, and why. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Arguments that look like paths, URLs or commands and are not declared. */
  readonly guesses: readonly GuardGuess[];
  /**
   * What the guesses, and what the server says of its tools, come to: to be put into the configuration once somebody has
   * looked at it.
   */
  readonly guards: GuardDeclarations;
}

/** Looks at one server of a gateway. Calls none of its tools. */
export async function inspect(
  connection: McpServerConnection,
  router: Router,
  config: Pick<GatewayConfig, 'policy' | 'mode' | 'roots'>,
  source: string,
  faults: readonly string[] = [],
): Promise<Inspection> {
  const { registry } = router;
  const tools = registry.list({ source });
  const findings = await createRegistry(tools.map(withoutPlaces)).verify({ notes: true });
  const guesses = tools.flatMap((tool) => {
    // Words of a name count behind its namespace, also where that is not shown.
    const name = connection.tools.includes(tool.name) ? tool.name : `${source}.${tool.name}`;
    return guessGuards([{ ...tool, name }])
      .guesses.filter(({ argument }) => !isDeclared(declared(tool), argument))
      .map((guess) => ({ ...guess, tool: tool.name }));
  });
  return {
    name: connection.name,
    server: connection.serverInfo,
    mode: config.mode,
    tools: await Promise.all(
      tools.map(async (tool) => ({
        ...describe(tool),
        ...(await judged(tool, config)),
        schema: [
          ...findings.filter((finding) => finding.tool === tool.name).map(({ problem }) => problem),
          ...registry.notes(tool.name).map(({ schema, pointer, message }) => `${schema}${pointer}: ${message}`),
        ],
      })),
    ),
    faults,
    skipped: connection.skipped,
    guesses,
    guards: proposed(tools, guesses),
  };
}

/** The guesses, with the levels that tools without one would have if their server were believed. */
function proposed(tools: readonly Tool[], guesses: readonly GuardGuess[]): GuardDeclarations {
  const entries = tools.flatMap((tool): [string, GuardDeclaration][] => {
    const own = guesses.filter((guess) => guess.tool === tool.name);
    const paths = own.filter(({ kind }) => kind === 'path').map(({ argument, intent = 'read' }) => [argument, intent]);
    const named = (wanted: GuardGuess['kind']): readonly string[] =>
      own.filter(({ kind }) => kind === wanted).map(({ argument }) => argument);
    const [urls, commands] = [named('url'), named('command')];
    const permission = tool.permission === undefined ? levelOf(tool.annotations) : undefined;
    const guard: GuardDeclaration = {
      ...(paths.length > 0 && { paths: Object.fromEntries(paths) }),
      ...(urls.length > 0 && { urls }),
      ...(commands.length > 0 && { commands }),
      ...(permission !== undefined && { permission }),
    };
    return Object.keys(guard).length === 0 ? [] : [[tool.name, guard]];
  });
  return Object.fromEntries(entries);
}

/** What a guard for many tools names, not every one of them has to have. */
function withoutPlaces({ paths, urls, commands, ...tool }: Tool): Tool {
  return tool;
}

function declared({ permission, paths, urls, commands }: Tool): GuardDeclaration {
  return {
    ...(permission !== undefined && { permission }),
    ...(paths !== undefined && { paths }),
    ...(urls !== undefined && { urls }),
    ...(commands !== undefined && { commands }),
  };
}

function describe(tool: Tool): Pick<InspectedTool, 'name' | 'description' | 'arguments' | 'annotations' | 'guards'> {
  const { name, description, parameters, annotations = {} } = tool;
  const names = Object.keys(parameters.properties ?? {});
  return { name, description, arguments: names, annotations, guards: declared(tool) };
}

async function judged(
  tool: Tool,
  { policy, mode, roots }: Pick<GatewayConfig, 'policy' | 'mode' | 'roots'>,
): Promise<Pick<InspectedTool, 'offered' | 'decision' | 'by' | 'depends'>> {
  const { rules: list = [], modes } = policy ?? {};
  const house = rules(list);
  const options = { rules: list, tool, ...(modes !== undefined && { modes }) };
  const { decision, by } = await explain({ tool: tool.name, arguments: {}, mode }, options);
  const concerned = house.rules.filter((rule) => rule.concerns(tool) && rule.appliesIn(mode));
  const isOffered = offered(tool, mode, { policies: [house], modes: createModes(modes) });
  // Its guard refuses every call, whatever else is decided about it.
  if (roots.length === 0 && needsRoots(tool) && decision !== 'deny') {
    return { offered: isOffered, decision: 'deny', by: 'no roots', depends: false };
  }
  return { offered: isOffered, decision, by, depends: concerned.some((rule) => rule.depends(tool)) };
}
