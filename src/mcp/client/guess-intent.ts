import type { PathIntent } from '../../capabilities/fs/types.ts';
import type { Tool } from '../../tool.ts';
import { wordsOf } from './words.ts';

const writing = new Set([
  ...[
    'write',
    'edit',
    'create',
    'delete',
    'remove',
    'move',
    'rename',
    'append',
    'save',
    'put',
    'set',
    'update',
    'modify',
  ],
  ...['patch', 'mkdir', 'make', 'touch', 'truncate', 'insert', 'replace', 'rm', 'mv', 'unlink', 'extract', 'download'],
]);
const reading = new Set([
  ...['read', 'get', 'list', 'search', 'find', 'view', 'show', 'stat', 'info', 'tree', 'open', 'load', 'cat', 'grep'],
  ...['head', 'tail', 'glob', 'diff', 'count', 'hash', 'describe', 'analyze', 'parse'],
]);
const targets = new Set(['destination', 'dest', 'dst', 'target', 'output', 'out', 'to']);
const sources = new Set(['source', 'src', 'input', 'from']);

/** What a tool seems to do with a path: by its verbs, and by the hint that it only reads. In doubt it writes. */
export function guessIntent(
  { name, annotations }: Pick<Tool, 'name' | 'annotations'>,
  property: string,
): { readonly intent: PathIntent; readonly reason: string } {
  const verbs = wordsOf(name.slice(name.indexOf('.') + 1));
  const own = wordsOf(property);
  if (own.some((word) => targets.has(word))) return { intent: 'write', reason: 'something is put there' };
  if (verbs.includes('copy') || verbs.includes('cp')) {
    const isSource = own.some((word) => sources.has(word));
    return isSource ? { intent: 'read', reason: 'it is copied' } : { intent: 'write', reason: 'the tool copies' };
  }
  const verb = verbs.find((word) => writing.has(word));
  if (verb !== undefined) return { intent: 'write', reason: `the tool's name says "${verb}"` };
  const look = verbs.find((word) => reading.has(word));
  if (look !== undefined) return { intent: 'read', reason: `the tool's name says "${look}"` };
  if (annotations?.readOnly === true) return { intent: 'read', reason: 'the server says that the tool only reads' };
  return { intent: 'write', reason: 'nothing says that the tool only reads' };
}
