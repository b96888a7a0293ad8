import { describe, expect, it } from 'vitest';
import { type Log, logger } from '../../middleware/logger.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { createRouter, type Router } from '../../src/router.ts';
import type { Tool } from '../../src/tool.ts';

const echo: Tool = {
  name: 'echo',
  description: 'Echoes.',
  parameters: { type: 'object' },
  permission: 'read',
  handler: () => 'secret data',
};
const wrong: Tool = { ...echo, name: 'wrong', output: { type: 'number' } };

function logged(log: Log): Router {
  return createRouter({ tools: [echo, wrong], pipeline: defaultPipeline().before('normalize', 'logger', logger(log)) });
}

function recording(): { said: string[]; log: Log } {
  const said: string[] = [];
  const at = (level: string) => (message: string) => void said.push(`${level} ${message}`);
  return { said, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

describe('logger', () => {
  it('tells of the beginning and the end of a call, without arguments and data', async () => {
    const { said, log } = recording();
    await logged(log).call({ id: 'c1', name: 'echo', arguments: { key: 'private' } });
    expect(said).toEqual([
      expect.stringMatching(/^debug echo \(call c1, run run_.*\) begins$/),
      expect.stringMatching(/^info echo \(call c1, run run_.*\) succeeded after \d+\.\d ms$/),
    ]);
    expect(said.join()).not.toMatch(/private|secret data/);
  });

  it.each([
    ['nothing', 'warn', 'unknown_tool'],
    ['wrong', 'error', 'invalid_output'],
  ])('tells of a failure of %s as %s', async (name, level, code) => {
    const { said, log } = recording();
    await logged(log).call({ name });
    expect(said.at(-1)).toMatch(new RegExp(`^${level} .* failed with ${code} after .* ms: `));
  });

  it('keeps what a model wrote on one line and harmless', async () => {
    const { said, log } = recording();
    await logged(log).call({ name: 'a\n\u001b[2Jinfo forged' });
    expect(said.join('')).not.toMatch(/\n/);
    expect(said[0]).toContain('a\\n\\u001b[2Jinfo forged');
  });

  it('tells of what a stage throws, and lets it pass', async () => {
    const { said, log } = recording();
    const stage = logger(log) as (ctx: object, next: () => unknown) => unknown;
    const ctx = { call: { name: 'echo', id: 'c1' }, run: { id: 'r1' } };
    const boom = new Error('boom');
    expect(() =>
      stage(ctx, () => {
        throw boom;
      }),
    ).toThrow(boom);
    await expect(stage(ctx, () => Promise.reject(boom))).rejects.toBe(boom);
    expect(await stage(ctx, () => undefined)).toBeUndefined();
    expect(said.filter((line) => line.startsWith('error'))).toHaveLength(3);
  });

  it('lets no call suffer from a log that fails', async () => {
    const fail = (): never => {
      throw new Error('no');
    };
    const reject = (): Promise<never> => Promise.reject(new Error('no'));
    const result = await logged({ debug: fail, info: reject, warn: fail, error: fail }).call({ name: 'echo' });
    expect(result.ok).toBe(true);
  });

  it('refuses what is no log', () => {
    expect(() => logger({} as never)).toThrow(/debug/);
    expect(() => logger(undefined as never)).toThrow(TypeError);
  });
});
