import type { Node, Type } from './backend.ts';
import type { Conversion } from './conversion.ts';
import { type Place, within } from './reporter.ts';
import type { Revival } from './revival.ts';
import type { Converted } from './schema.ts';
import { elementNode, itemNode } from './type-nodes.ts';

export function convertList(conversion: Conversion, type: Type, node: Node | undefined, place: Place): Converted {
  const { program, reporter, convert } = conversion;
  const [element] = program.elements(type);
  if (!element) return { schema: { type: 'array' }, exact: false };
  const inside = within(place, '[]', undefined);
  const item = convert(element.type, itemNode(program, node), inside);
  if (item.optional) reporter.at(inside, 'a list cannot hold undefined in JSON. Use null.');
  const revival = item.revival && ({ kind: 'list', item: item.revival } as const);
  return { schema: { type: 'array', items: item.schema }, revival, exact: item.exact };
}

export function convertTuple(conversion: Conversion, type: Type, node: Node | undefined, place: Place): Converted {
  const { program, convert, fail } = conversion;
  const elements = program.elements(type);
  const restAt = elements.findIndex((element) => element.mode === 'rest');
  if (restAt !== -1 && restAt !== elements.length - 1) {
    return fail(place, 'a tuple with elements after its rest cannot be expressed. Put the rest last.');
  }
  const converted = elements.map((element, index) =>
    convert(element.type, elementNode(program, node, index), within(place, `[${index}]`, undefined)),
  );
  const fixed = restAt === -1 ? converted : converted.slice(0, -1);
  const rest = restAt === -1 ? undefined : converted.at(-1);
  const revivals = fixed.map((element) => element.revival);
  const revival: Revival | undefined =
    rest?.revival || revivals.some((item) => item !== undefined)
      ? { kind: 'tuple', items: revivals, rest: rest?.revival }
      : undefined;
  return {
    schema: {
      type: 'array',
      ...(fixed.length > 0 && { prefixItems: fixed.map((element) => element.schema) }),
      items: rest ? rest.schema : false,
      minItems: elements.filter((element) => element.mode === 'required').length,
    },
    revival,
    exact: false,
  };
}
