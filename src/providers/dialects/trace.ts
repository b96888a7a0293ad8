import type { Loss } from '../types.ts';

/** Collects what a conversion loses. */
export interface Trace {
  readonly losses: Loss[];
  lose(pointer: string, keyword: string, kind: Loss['kind'], reason: string): void;
}

export function trace(): Trace {
  const losses: Loss[] = [];
  const known = new Set<string>();
  return {
    losses,
    lose(pointer, keyword, kind, reason) {
      const key = `${kind} ${keyword} ${pointer}`;
      if (known.has(key)) return;
      known.add(key);
      losses.push({ pointer, keyword, kind, reason });
    },
  };
}
