import { printAccess, printKey } from './print.ts';
import { hasDates as anyDates, type Revival } from './revival.ts';

/** Writes the code that turns date-time strings into Dates; remembers which helpers that code needs. */
export interface Reviver {
  /** An expression that revives what the expression `input` gives. */
  code(revival: Revival, input: string): string;
  hasDates(revival: Revival | undefined): boolean;
  /** The helper functions, as text, to stand at the end of the file. */
  helpers(): string[];
}

/**
 * @param definitions the recursive types of one tool, by name
 * @param functionName gives the name of the function that revives one of them
 */
export function createReviver(
  definitions: ReadonlyMap<string, Revival>,
  functionName: (definition: string) => string,
): Reviver {
  const functions = new Map<string, string>();

  const hasDates = (revival: Revival | undefined): boolean => anyDates(revival, definitions);

  function code(revival: Revival, input: string): string {
    switch (revival.kind) {
      case 'date':
        return `revive(${input}, (text) => new Date(text))`;
      case 'list':
        return `revive(${input}, (list) => list.map((item: any) => ${code(revival.item, 'item')}))`;
      case 'tuple':
        return `revive(${input}, (list) => list.map((item: any, at: number) => ${tupleCode(revival)}))`;
      case 'object':
        return `revive(${input}, (value) => ({ ${objectCode(revival)} }))`;
      case 'definition':
        return `revive(${input}, ${functionFor(revival.name)})`;
    }
  }

  function tupleCode(revival: Revival & { kind: 'tuple' }): string {
    const rest = hasDates(revival.rest) && revival.rest ? code(revival.rest, 'item') : 'item';
    return revival.items.reduceRight((otherwise, item, at) => {
      const own = item && hasDates(item) ? code(item, 'item') : 'item';
      return own === otherwise ? otherwise : `at === ${at} ? ${own} : ${otherwise}`;
    }, rest);
  }

  function objectCode(revival: Revival & { kind: 'object' }): string {
    const { rest } = revival;
    const parts = ['...value'];
    if (rest && hasDates(rest)) {
      const entries = `Object.entries(value).map(([key, item]) => [key, ${code(rest, 'item')}])`;
      parts.push(`...Object.fromEntries(${entries})`);
    }
    for (const [name, property] of revival.properties) {
      if (!hasDates(property)) continue;
      const access = printAccess('value', name);
      parts.push(`...(${access} !== undefined && { ${printKey(name)}: ${code(property, access)} })`);
    }
    return parts.join(', ');
  }

  function functionFor(definition: string): string {
    const name = functionName(definition);
    const revival = definitions.get(definition);
    if (!functions.has(name) && revival) {
      functions.set(name, '');
      functions.set(name, `function ${name}(value: any): any {\n  return ${code(revival, 'value')};\n}\n`);
    }
    return name;
  }

  return { code, hasDates, helpers: () => [...functions.values()] };
}

/** Leaves alone what is absent or null. */
export const reviveHelper = `function revive(value: any, make: (value: any) => any): any {
  return value === undefined || value === null ? value : make(value);
}
`;
