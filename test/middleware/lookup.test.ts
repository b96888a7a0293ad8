import { createRegistry, createRouter, pipeline, type Tool } from 'callgate';
import { allowAll, execute, lookup, normalize, permission, validate } from 'callgate/middleware';
import { describe, expect, test } from 'vitest';
import { chainOf, contextFor } from '../support.ts';

function tool(name: string, permission = 'read'): Tool {
  return { name, description: name, permission, parameters: { type: 'object' }, handler: () => name };
}

const tools = [tool('read_file'), tool('write_file', 'write'), tool('run', 'execute')];

describe('a wrong name', () => {
  test('is answered with what is offered in the mode, and with nothing else', async () => {
    const router = createRouter({ tools, mode: 'plan' });
    const call = () => router.call({ name: 'wrote_file' });
    expect(await call()).toMatchObject({
      code: 'unknown_tool',
      error: 'unknown tool: wrote_file. The tools are: read_file.',
      details: { similar: [] },
    });
    router.mode = 'ask';
    expect(await call()).toMatchObject({
      error: 'unknown tool: wrote_file. Did you mean write_file? The tools are: read_file, write_file, run.',
    });
    expect(await router.call({ name: 'wrote_file' }, { run: { mode: 'plan' } })).toMatchObject({
      error: 'unknown tool: wrote_file. The tools are: read_file.',
    });
  });

  test('is answered without what a rule denies whatever the arguments are', async () => {
    const rules = [
      { decision: 'deny' as const, tool: 'write_*' },
      { decision: 'deny' as const, tool: 'run', arguments: { line: 'rm' } },
    ];
    const { error } = await createRouter({ tools, rules }).call({ name: 'x' });
    expect(error).toBe('unknown tool: x. The tools are: read_file, run.');
  });

  test('is answered with what its run may use, as far as there is such a tool', async () => {
    const router = createRouter({ tools, allowed: ['run', 'nothing', 'read_file'], mode: 'plan' });
    expect((await router.call({ name: 'write_file' })).error).toBe(
      'unknown tool: write_file. The tools are: read_file.',
    );
  });

  test('says that there are no tools where none is offered', async () => {
    const router = createRouter({ tools: [tool('run', 'execute')], mode: 'plan' });
    expect((await router.call({ name: 'run_' })).error).toBe('unknown tool: run_. There are no tools.');
  });

  test('is judged by each router for itself, also where they share the stage', async () => {
    const shared = lookup();
    const build = (last: ReturnType<typeof permission>) =>
      pipeline()
        .use('normalize', normalize())
        .use('lookup', shared)
        .use('validate', validate())
        .use('permission', last)
        .use('execute', execute());
    const strict = createRouter({ tools, mode: 'plan', pipeline: build(permission()) });
    const open = createRouter({ tools, mode: 'plan', pipeline: build(allowAll()) });
    expect((await strict.call({ name: 'x' })).error).toContain('The tools are: read_file.');
    expect((await open.call({ name: 'x' })).error).toContain('The tools are: read_file, write_file, run.');
  });

  test('among very many is answered with some, and how many more there are', async () => {
    const many = Array.from({ length: 6_000 }, (_, at) => tool(`t${at}`, at % 2 === 0 ? 'read' : 'write'));
    const registry = createRegistry(many);
    const open = await createRouter({ registry, mode: 'trusted' }).call({ name: 'x' });
    expect(open.error).toMatch(/The tools include: t0, t1, .*, t19, and 5980 more\.$/);
    const plan = await createRouter({ registry, mode: 'plan' }).call({ name: 'x' });
    expect(plan.error).toMatch(/The tools include: t0, t2, .*, t38, and 3480 more\.$/);
  });

  test('is answered with all tools where no router has made the call', async () => {
    const answer = await chainOf([lookup()])(contextFor('x', {}, tools));
    expect(answer.error).toContain('The tools are: read_file, write_file, run.');
  });
});
