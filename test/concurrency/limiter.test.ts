import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fifo } from '../../src/concurrency/fifo.ts';
import { Limiter, type Limits, type Place } from '../../src/concurrency/limiter.ts';

const runs = process.env['CALLGATE_FULL'] === '1' ? 2_000 : 200;
const none = Number.POSITIVE_INFINITY;

function limits({ total = none, perTool = none, perKey = none }): Limits {
  return { total, perKey, perTool: () => perTool };
}

/** Lets calls in, and notes under their names when they begin. */
function entering(limiter: Limiter): { begun: string[]; enter(tool: string, key?: string): Place } {
  const begun: string[] = [];
  let count = 0;
  return {
    begun,
    enter(tool, key) {
      const name = `${tool}${key ?? ''}${++count}`;
      const place = limiter.enter(tool, key, () => begun.push(name));
      if (place.isAtWork) begun.push(name);
      return place;
    },
  };
}

describe('places', () => {
  test('a tool with many calls does not starve another one', () => {
    const limiter = new Limiter(limits({ total: 1 }));
    const { begun, enter } = entering(limiter);
    const places = Array.from({ length: 50 }, () => enter('busy'));
    const rare = enter('rare');
    for (const place of places.slice(0, 2)) place.leave();
    expect(begun).toEqual(['busy1', 'busy2', 'rare51']);
    rare.leave();
    expect(begun.at(-1)).toBe('busy3');
  });

  test('a key with many calls does not starve another one of the same tool', () => {
    const limiter = new Limiter(limits({ perTool: 1, perKey: 1 }));
    const { begun, enter } = entering(limiter);
    const places = Array.from({ length: 50 }, () => enter('t', 'busy'));
    enter('t', 'rare');
    for (const place of places.slice(0, 2)) place.leave();
    expect(begun).toEqual(['tbusy1', 'tbusy2', 'trare51']);
  });

  test('a key whose next tool is full lets another tool in', () => {
    const limiter = new Limiter({ total: none, perKey: 1, perTool: (tool) => (tool === 'narrow' ? 1 : none) });
    const { begun, enter } = entering(limiter);
    enter('narrow', 'elsewhere');
    const holder = enter('wide', 'k');
    enter('narrow', 'k');
    enter('other', 'k');
    holder.leave();
    expect(begun).toEqual(['narrowelsewhere1', 'widek2', 'otherk4']);
  });

  test('who gives up waiting is passed over, and leaving twice is leaving once', () => {
    const limiter = new Limiter(limits({ total: 1 }));
    const { begun, enter } = entering(limiter);
    const first = enter('t');
    const second = enter('t');
    const third = enter('t');
    second.leave();
    first.leave();
    first.leave();
    expect(begun).toEqual(['t1', 't3']);
    third.leave();
    expect(limiter.size).toBe(0);
  });

  test('many that wait, each with a key of its own, come and go without a search', () => {
    const limiter = new Limiter(limits({ total: 10, perKey: 1 }));
    const open: Place[] = [];
    let next = 0;
    const places: Place[] = [];
    for (let i = 0; i < 50_000; i++) {
      const at = i;
      const place: Place = limiter.enter(`t${i % 7}`, `k${i % 25_000}`, () => open.push(places[at] as Place));
      places.push(place);
      if (place.isAtWork) open.push(place);
    }
    // Were it quadratic, the test would run out of its time.
    while (next < open.length) open[next++]?.leave();
    expect(next).toBe(50_000);
    expect(limiter.size).toBe(0);
  });
});

describe('whatever comes and goes, in whatever order', () => {
  const operation = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        tool: fc.constantFrom('a', 'b', 'c'),
        key: fc.option(fc.constantFrom('x', 'y', 'z'), { nil: undefined }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ leave: fc.nat() }) },
  );
  const someLimits = fc.record({
    total: fc.integer({ min: 1, max: 6 }),
    perTool: fc.constantFrom(1, 2, none),
    perKey: fc.constantFrom(1, 2, none),
  });

  interface Entered {
    readonly tool: string;
    readonly key: string | undefined;
    readonly number: number;
    place: Place;
  }

  test('no limit is passed, nobody waits for nothing, each lane keeps its order, and nothing is left', () => {
    fc.assert(
      fc.property(someLimits, fc.array(operation, { maxLength: 80 }), (given, operations) => {
        const limiter = new Limiter(limits(given));
        const present: Entered[] = [];
        const begun: number[] = [];
        let count = 0;
        const atWork = (which: (entered: Entered) => boolean): number =>
          present.filter((entered) => entered.place.isAtWork && which(entered)).length;
        for (const step of operations) {
          if ('tool' in step) {
            const number = count++;
            const place = limiter.enter(step.tool, step.key, () => begun.push(number));
            if (place.isAtWork) begun.push(number);
            present.push({ ...step, number, place });
          } else if (present.length > 0) {
            present.splice(step.leave % present.length, 1)[0]?.place.leave();
          }
          expect(atWork(() => true)).toBeLessThanOrEqual(given.total);
          for (const { tool, key, place, number } of present) {
            const ofTool = atWork((other) => other.tool === tool);
            const ofKey = key === undefined ? 0 : atWork((other) => other.key === key);
            expect(ofTool).toBeLessThanOrEqual(given.perTool);
            expect(ofKey).toBeLessThanOrEqual(given.perKey);
            if (place.isAtWork) continue;
            const isFree = atWork(() => true) < given.total && ofTool < given.perTool && ofKey < given.perKey;
            expect(isFree).toBe(false);
            const later = present.filter((other) => other.tool === tool && other.key === key && other.number > number);
            expect(later.some((other) => other.place.isAtWork)).toBe(false);
          }
        }
        for (const { place } of present.splice(0)) place.leave();
        expect(new Set(begun).size).toBe(begun.length);
        expect(limiter.size).toBe(0);
      }),
      { numRuns: runs },
    );
  });
});

test('first in is first out, however many have gone', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(), { nil: undefined }), { maxLength: 300 }), (operations) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      for (const item of operations) {
        if (item === undefined) expect(fifo.shift()).toBe(model.shift());
        else {
          fifo.push(item);
          model.push(item);
        }
        expect(fifo.length).toBe(model.length);
      }
    }),
  );
});
