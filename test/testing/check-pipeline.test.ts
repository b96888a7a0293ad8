import { createRouter, defaultPipeline, pipeline, type Stage, withTraits } from 'callgate';
import { execute, lookup, normalize, validate } from 'callgate/middleware';
import type { Approve } from 'callgate/policy';
import { checkPipeline, faults } from 'callgate/testing';
import { describe, expect, test } from 'vitest';

const full = process.env['CALLGATE_FULL'] === '1';
const runs = full ? 1_000 : 150;

describe('pipelines that give every call its one result', () => {
  test('the default one', async () => {
    const report = await checkPipeline(() => defaultPipeline(), { runs });
    expect(report.runs).toBe(runs);
    expect(report.calls).toBeGreaterThan(2 * runs);
  });

  test.each(['plan', 'auto', 'trusted'])('the default one in the mode %s, kept for all runs', async (mode) => {
    await checkPipeline(defaultPipeline(), { runs: runs / 3, mode, seed: 2 });
  });

  test('the default one with approvers who edit, decline and do not answer', async () => {
    let asked = 0;
    const approve: Approve = ({ arguments: args }) => {
      const edited = { ...(args as object), note: 'edited' };
      return [true, false, undefined, { decision: 'allow', arguments: edited } as const][asked++ % 4];
    };
    await checkPipeline(() => defaultPipeline({ approve }), { runs: runs / 3, seed: 3 });
  });

  test('one that goes wrong at every stage', async () => {
    const rates = { latency: 0.1, crash: 0.1, denial: 0.05, wrong_output: 0.1 };
    const shaky = () =>
      defaultPipeline()
        .before('normalize', 'outer', faults({ rates, seed: 1, latency: 3 }))
        .before('validate', 'broken', faults({ rates: { ...rates, broken_json: 0.1 }, seed: 2, latency: 3 }))
        .after('timeout', 'inner', faults({ rates, seed: 3, latency: 3 }));
    await checkPipeline(shaky, { runs: runs / 3, allowInternal: true, seed: 4 });
  });

  test('a short one of stages picked by hand', async () => {
    const short = pipeline()
      .use('normalize', normalize())
      .use('lookup', lookup())
      .use('validate', validate())
      .use('execute', execute());
    await checkPipeline(short, { runs: runs / 3, seed: 5 });
  });
});

/** The message with which the check fails for a stage at this place. */
async function messageFor(stage: Stage, options: Parameters<typeof checkPipeline>[1] = {}): Promise<string> {
  const made = () => defaultPipeline().before('lookup', 'mine', stage);
  return checkPipeline(made, options).then(
    () => 'nothing was found',
    (error: Error) => error.message,
  );
}

describe('pipelines that do not', () => {
  test('a stage that hangs is shown with the one call that it takes', async () => {
    const message = await messageFor(() => new Promise(() => {}), { patience: 20 });
    expect(message).toContain('did not give every call its one result');
    expect(message).toMatch(/call 0 \(probe_\w+\) got no result within 20 ms/);
    expect(message).toMatch(
      /router\.call, once for each:\n {4}0: [^\n]*\nTo repeat it: checkPipeline\(pipeline, \{ seed: 1, runs: \d+ \}\)\.$/,
    );
  });

  test('a stage that hands on twice is named', async () => {
    const twice: Stage = async (_, next) => {
      await next();
      return next();
    };
    expect(await messageFor(twice)).toContain('a stage is at fault: Stage "mine" called next() twice.\n');
  });

  test('a stage that answers before the handler has ended is named', async () => {
    const hasty: Stage = (ctx, next) => {
      void next();
      return ctx.ok('done');
    };
    expect(await messageFor(hasty)).toMatch(/failed with internal, so a stage is at fault/);
  });

  test('a stage that answers only when two calls are under way is shown with two calls, and simple ones', async () => {
    const make = () => {
      let underWay = 0;
      const crowded: Stage = async (ctx, next) => {
        underWay++;
        try {
          return underWay > 1 ? ctx.fail('internal', 'crowded') : await next();
        } finally {
          underWay--;
        }
      };
      return defaultPipeline().before('lookup', 'mine', crowded);
    };
    const { message } = await checkPipeline(make).then(
      () => new Error('nothing was found'),
      (error: Error) => error,
    );
    expect(message).toMatch(/router\.call, once for each:\n {4}0: [^\n]*handler: \w+[^\n]*\n {4}1: [^\n]*\nTo repeat/);
  });

  test('a stage that says nothing happened when something did', async () => {
    const lying: Stage = async (_, next) => {
      const result = await next();
      return result.ok ? result : { ...result, effect: 'none' };
    };
    expect(await messageFor(lying)).toContain('says that nothing happened, but its handler ran');
  });

  test('a stage that runs the handler again without saying so', async () => {
    const again = withTraits(
      (async (ctx, next) => {
        const result = await next();
        return result.ok ? ctx.restart(ctx.call.arguments) : result;
      }) as Stage,
      { rewrites: true },
    );
    expect(await messageFor(again)).toMatch(/ran its handler \d times, though no stage repeats/);
  });

  test('a stage outside normalize that puts in what is no JSON', async () => {
    const made = () =>
      defaultPipeline().before('normalize', 'mine', async (_, next) => {
        const result = await next();
        return result.ok ? { ...result, data: 1n } : result;
      });
    await expect(checkPipeline(made)).rejects.toThrow('no JSON');
  });

  test('the same seed finds the same', async () => {
    const lying: Stage = async (_, next) => {
      const result = await next();
      return result.ok ? result : { ...result, effect: 'none' };
    };
    expect(await messageFor(lying, { seed: 9 })).toBe(await messageFor(lying, { seed: 9 }));
  });
});

test('calls of your own tools are mixed in', async () => {
  let made = 0;
  const tool = {
    name: 'mine',
    description: 'Counts.',
    parameters: { type: 'object' },
    permission: 'read',
    handler: () => ++made,
  } as const;
  await checkPipeline(() => defaultPipeline(), { runs: 20, tools: [tool], samples: [{ name: 'mine' }] });
  expect(made).toBeGreaterThan(5);
});

test('misuse is told', async () => {
  await expect(checkPipeline(defaultPipeline(), { run: 1 } as never)).rejects.toThrow('no option "run"');
  await expect(checkPipeline(defaultPipeline(), { runs: 0 })).rejects.toThrow('at least one run');
  await expect(checkPipeline(defaultPipeline(), { patience: Infinity })).rejects.toThrow('patience }) needs a limit');
  await expect(checkPipeline(createRouter({ tools: [] }) as never)).rejects.toThrow(TypeError);
});
