import type { Loss } from '../types.ts';

/** Collects what a conversion loses. */
export interface Trace {
  readonly losses: Loss[];
  lose(pointer: string, keyword: string, kind: Loss['kind'], reason: string): void;
}

export function trace(): Trace {
  const losses: Loss[] = [];
  return {
    losses,
    lose(pointer, keyword, kind, reason) {
      const again = losses.some((loss) => loss.pointer === pointer && loss.keyword === keyword && loss.kind === kind);
      if (!again) losses.push({ pointer, keyword, kind, reason });
    },
  };
}
