import { forLog, forTerminal } from '../../output/control-characters.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';
import type { Effect } from '../../types.ts';
import type { Style } from './style.ts';

// What is longer cannot be judged at a glance; the question says how much it leaves out.
const mostLines = 40;
const longestLine = 4_000;

/**
 * What a person is shown who decides about a call: the tool, its arguments whole, what it would do, and the tool's own
 * preview. Nothing in it can act on the terminal or hide.
 */
export function questionText(request: ApprovalRequest, style: Style): string {
  const { tool, level, source, reason, preview, effects, arguments: args } = request;
  const kind = [level, source === undefined ? undefined : `from ${source}`].filter((part) => part !== undefined);
  const title = `${style.bold(forLog(tool))}${kind.length === 0 ? '' : style.dim(` (${kind.map(forLog).join(', ')})`)}`;
  const lines = [
    `${style.yellow('?')} May this run? ${title}`,
    style.dim(`  ${forLog(reason)}`),
    ...indented(JSON.stringify(args, null, 2) ?? ''),
    ...effects.map((effect) => `  ${style.cyan('▸')} ${forLog(effectText(effect))}`),
    ...(preview === undefined ? [] : [style.dim('  preview:'), ...indented(preview)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** In one line: what a call would do. */
export function effectText(effect: Effect): string {
  switch (effect.kind) {
    case 'fs.read':
      return `reads ${effect.path}`;
    case 'fs.write':
      return `writes ${effect.path}`;
    case 'net':
      return `talks to ${effect.host}, port ${effect.port}`;
    case 'exec':
      return `starts ${effect.argv.map((word) => JSON.stringify(word)).join(' ')}`;
  }
}

function indented(text: string): string[] {
  const lines = forTerminal(text).split('\n');
  const rest = lines.length - mostLines;
  const shown = lines.slice(0, mostLines).map((line) => {
    const more = line.length - longestLine;
    return more > 0 ? `${line.slice(0, longestLine)} ... and ${more.toLocaleString('en-US')} characters more` : line;
  });
  return [...shown, ...(rest > 0 ? [`... and ${rest} lines more`] : [])].map((line) => `  ${line}`);
}
