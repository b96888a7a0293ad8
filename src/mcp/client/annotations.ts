import type { PermissionLevel, ToolAnnotations } from '../../tool.ts';
import { cleanText } from './clean-text.ts';

/** The hints of a server about a tool; only those that are of the right type. */
export function annotationsOf(annotations: unknown, title: unknown): ToolAnnotations | undefined {
  const given = (typeof annotations === 'object' && annotations !== null ? annotations : {}) as {
    [name: string]: unknown;
  };
  const named = [title, given['title']].find((text) => typeof text === 'string' && text.trim() !== '');
  const hints = {
    ...(typeof named === 'string' && { title: cleanText(named, 200) }),
    ...hint('readOnly', given['readOnlyHint']),
    ...hint('destructive', given['destructiveHint']),
    ...hint('idempotent', given['idempotentHint']),
    ...hint('openWorld', given['openWorldHint']),
  };
  return Object.keys(hints).length === 0 ? undefined : Object.freeze(hints);
}

function hint(name: keyof ToolAnnotations, value: unknown): { [name: string]: boolean } {
  return typeof value === 'boolean' ? { [name]: value } : {};
}

/** The level that the hints of a trusted server come to; none where it says nothing of what its tool changes. */
export function levelOf(annotations: ToolAnnotations | undefined): PermissionLevel | undefined {
  const { readOnly, destructive, openWorld } = annotations ?? {};
  if (readOnly === undefined && destructive === undefined) return undefined;
  // What may destroy weighs more than how far it reaches. Without a word it may destroy, says the protocol.
  if (readOnly !== true && destructive !== false) return 'dangerous';
  if (openWorld === true) return 'network';
  return readOnly === true ? 'read' : 'write';
}
