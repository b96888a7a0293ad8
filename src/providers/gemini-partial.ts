import { asText, type Loose } from './shape.ts';

/** Puts the arguments of one call together that Gemini streams value by value. */
export interface PartialArguments {
  /** Takes one `PartialArg`: a JSON path such as `$.files[0].name` and a value or the next part of a text. */
  push(piece: Loose): void;
  value(): unknown;
}

type Place = Map<string | number, unknown>;

const mostItems = 100_000;

export function partialArguments(): PartialArguments {
  const root: Place = new Map();
  // The path of a text that is not whole yet, so that a value that comes twice replaces and a part of one is added.
  let growing: string | undefined;
  return {
    push(piece) {
      const path = asText(piece['jsonPath']) ?? '';
      const steps = stepsOf(path);
      const last = steps.pop();
      if (last === undefined) return;
      let place = root;
      for (const step of steps) {
        const inner = place.get(step);
        const next: Place = inner instanceof Map ? inner : new Map();
        place.set(step, next);
        place = next;
      }
      const text = asText(piece['stringValue']);
      const before = place.get(last);
      if (text !== undefined && growing === path && typeof before === 'string') place.set(last, before + text);
      else if (valueIn(piece) !== undefined) place.set(last, valueIn(piece));
      growing = piece['willContinue'] === true ? path : undefined;
    },
    value: () => plain(root),
  };
}

function valueIn(piece: Loose): unknown {
  if (piece['nullValue'] !== undefined) return null;
  return piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue'];
}

/** The names and indexes of a JSON path (RFC 9535) that names one place. */
function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, dotted, index, single, double] of path.matchAll(
    /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g,
  )) {
    steps.push(index === undefined ? (dotted ?? single ?? double ?? '') : Number(index));
  }
  return steps;
}

function plain(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const entries = [...(value as Place)];
  const isList = entries.length > 0 && entries.every(([step]) => typeof step === 'number' && step < mostItems);
  if (!isList) return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]));
  const list: unknown[] = [];
  for (const [, inner] of entries.sort(([a], [b]) => Number(a) - Number(b))) list.push(plain(inner));
  return list;
}
