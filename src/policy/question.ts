import { forLog, forTerminal } from '../output/control-characters.ts';
import type { Style } from '../output/style.ts';
import type { Effect } from '../types.ts';
import type { ApprovalRequest } from './approval.ts';
import { lookalikeNote } from './lookalikes.ts';

// What is longer cannot be judged at a glance; the question says how much it leaves out.
const mostLines = 40;
const longestLine = 4_000;

/** A question for a person. */
export interface Question {
  readonly text: string;
  /** There is more than is shown, and the text says how much. */
  readonly isCut: boolean;
}

/**
 * What a person is shown who decides about a call: the tool, its arguments, what it would do, and the tool's own preview.
 * Nothing in it can act on the terminal or hide. Long arguments and previews are cut, unless it is to be the `whole`.
 */
export function questionFor(request: ApprovalRequest, style: Style, whole = false): Question {
  const { tool, level, source, reason, preview, effects, arguments: args } = request;
  const kind = [level, source === undefined ? undefined : `from ${source}`].filter((part) => part !== undefined);
  const title = `${style.bold(forLog(tool))}${kind.length === 0 ? '' : style.dim(` (${kind.map(forLog).join(', ')})`)}`;
  const shownArguments = cut(JSON.stringify(args, null, 2) ?? '', whole);
  const shownPreview = cut(preview ?? '', whole);
  const lines = [
    `May this run? ${title}`,
    ...carefulLines(source ?? '', style),
    style.dim(`  ${forLog(reason)}`),
    ...shownArguments.lines,
    ...effects.flatMap((effect) => effectLines(effect, style)),
    ...(preview === undefined ? [] : [style.dim('  preview:'), ...shownPreview.lines]),
  ];
  return { text: `${lines.join('\n')}\n`, isCut: shownArguments.isCut || shownPreview.isCut };
}

/** The rule that "always" would keep, whole. */
export function ruleText(rule: object, style: Style): string {
  const lines = forTerminal(JSON.stringify(rule, null, 2)).split('\n');
  return [style.dim('  This would be allowed from now on:'), ...lines.map((line) => `  ${line}`), ''].join('\n');
}

function effectLines(effect: Effect, style: Style): string[] {
  const text = effectText(effect);
  return [`  ${style.cyan('▸')} ${forLog(text)}`, ...carefulLines(text, style)];
}

function carefulLines(text: string, style: Style): string[] {
  const note = lookalikeNote(text);
  return note === '' ? [] : [`    ${style.red('careful:')} ${forLog(note)}`];
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

function cut(text: string, whole: boolean): { readonly lines: readonly string[]; readonly isCut: boolean } {
  const all = forTerminal(text).split('\n');
  if (whole) return { lines: all.map((line) => `  ${line}`), isCut: false };
  const rest = all.length - mostLines;
  let isCut = rest > 0;
  const lines = all.slice(0, mostLines).map((line) => {
    const more = line.length - longestLine;
    if (more <= 0) return line;
    isCut = true;
    return `${line.slice(0, longestLine)} ... and ${more.toLocaleString('en-US')} characters more`;
  });
  if (rest > 0) lines.push(`... and ${rest.toLocaleString('en-US')} lines more`);
  return { lines: lines.map((line) => `  ${line}`), isCut };
}
