import type { GuardDeclarations } from '../../mcp/client/types.ts';
import type { InspectedTool, Inspection } from '../../mcp/gateway/inspect.ts';
import { forLog } from '../../output/control-characters.ts';
import { asciiJson } from '../terminal/ascii-json.ts';
import type { Style } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';

/** What inspecting a server has shown, for a person at a terminal. Nothing that the server said can act on it. */
export function inspectionText(inspection: Inspection, width: number, style: Style): string {
  const { name, server, mode, tools, faults, skipped, guesses, guards } = inspection;
  const who = server === undefined ? '' : ` ${forLog(server.name)} ${forLog(server.version)}`;
  const parts = [
    `${style.bold(forLog(name))}${style.dim(who)}: ${tools.length === 1 ? '1 tool' : `${tools.length} tools`}, mode ${forLog(mode)}\n`,
    tools.length === 0 ? '' : toolTable(tools, width, style),
    listing('Guards that do not fit, so that nothing would be started:', faults.map(forLog), style),
    listing(
      'Left out:',
      skipped.map((tool) => `${forLog(tool.name)}: ${forLog(tool.reason)}`),
      style,
    ),
    listing(
      'Schemas:',
      tools.flatMap((tool) => tool.schema.map((note) => `${tool.name}: ${forLog(note)}`)),
      style,
    ),
  ];
  if (guesses.length > 0) {
    const rows = guesses.map(({ tool, argument, kind, intent, confidence, reason }) => [
      forLog(tool),
      forLog(argument),
      intent === undefined ? kind : `${kind}, to ${intent}`,
      confidence === 'low' ? 'perhaps' : 'likely',
      forLog(reason),
    ]);
    parts.push(
      `${style.bold('Not guarded yet.')} These arguments look like paths, URLs or commands:\n`,
      table(['tool', 'argument', 'is', '', 'because'], rows, width, style),
    );
  }
  if (Object.keys(guards).length > 0) {
    const hint = 'Look at this, and put what is right into the configuration, or into a file for --guards:';
    parts.push(`${style.bold(hint)}\n\n${blockOf(guards)}\n`);
  }
  return parts.filter((part) => part !== '').join('\n');
}

function toolTable(tools: readonly InspectedTool[], width: number, style: Style): string {
  const rows = tools.map((tool) => [
    tool.name,
    tool.offered ? tool.decision : 'not offered',
    forLog(tool.by) + (tool.depends ? ', or by its arguments' : ''),
    forLog(tool.guards.permission ?? '-'),
    guardedText(tool),
    saidText(tool),
    tool.arguments.map(forLog).join(', '),
  ]);
  return table(['tool', 'would', 'by', 'level', 'guarded', 'it says', 'arguments'], rows, width, style);
}

function guardedText({ guards: { paths = {}, urls = [], commands = [] } }: InspectedTool): string {
  const named = Array.isArray(commands) ? commands : Object.keys(commands);
  return [...Object.keys(paths), ...urls, ...named].map(forLog).join(', ');
}

function saidText({ annotations: { readOnly, destructive, openWorld } }: InspectedTool): string {
  const words = [
    readOnly === true ? 'only reads' : undefined,
    readOnly !== true && destructive === true ? 'destructive' : undefined,
    readOnly !== true && destructive === false ? 'not destructive' : undefined,
    openWorld === true ? 'reaches out' : undefined,
  ];
  return words.filter((word) => word !== undefined).join(', ');
}

function listing(title: string, lines: readonly string[], style: Style): string {
  if (lines.length === 0) return '';
  return `${style.bold(title)}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** JSON as it may be copied from a terminal, a line for each tool. */
function blockOf(guards: GuardDeclarations): string {
  const lines = Object.entries(guards).map(([tool, guard]) => `    ${spaced(tool)}: ${spaced(guard)}`);
  return `{\n  "guards": {\n${lines.join(',\n')}\n  }\n}`;
}

/** In one line, with spaces; what would act on a terminal is escaped, so that it still means the same. */
function spaced(value: unknown): string {
  return asciiJson(JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' '));
}
