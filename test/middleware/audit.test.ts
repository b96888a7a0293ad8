import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { type AuditRecord, audit } from '../../middleware/audit.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { createRouter, type Router } from '../../src/router.ts';
import type { Tool } from '../../src/tool.ts';
import type { AnyStage } from '../../src/traits.ts';
import { nextTurn } from '../support.ts';

const token = `ghp_${'a1B2'.repeat(9)}`;

const echo: Tool = {
  name: 'echo',
  description: 'Gives back its text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  permission: 'read',
  handler: (args: unknown) => (args as { text?: string }).text,
};
const hang: Tool = { ...echo, name: 'hang', handler: () => new Promise(() => {}) };
const push: Tool = { ...echo, name: 'push', permission: 'write' };

function audited(stage: AnyStage, options: Parameters<typeof defaultPipeline>[0] = {}): Router {
  const pipeline = defaultPipeline(options).before('normalize', 'audit', stage);
  return createRouter({ tools: [echo, hang, push], pipeline, principal: 'ann' });
}

function recording(): { lines: string[]; records: () => AuditRecord[]; sink: (line: string) => void } {
  const lines: string[] = [];
  return { lines, records: () => lines.map((line) => JSON.parse(line)), sink: (line) => void lines.push(line) };
}

describe('audit', () => {
  it('writes one line a call, with whose it was, what became of it, and how long it took', async () => {
    const { lines, records, sink } = recording();
    const router = audited(audit(sink));
    const result = await router.call({ id: 'c1', name: 'echo', arguments: { text: 'hello' } });
    expect(result.data).toBe('hello');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
    expect(records()[0]).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      run: router.run.id,
      principal: 'ann',
      call_id: 'c1',
      tool_name: 'echo',
      arguments: { text: 'hello' },
      ok: true,
      size: '"hello"'.length,
      duration_ms: expect.any(Number),
    });
  });

  it('sees unknown tools, invalid arguments and denials', async () => {
    const { records, sink } = recording();
    const router = audited(audit(sink));
    await router.callAll([{ name: 'nothing' }, { name: 'echo', arguments: '{' }, { name: 'push' }]);
    const codes = records().map(({ ok, code, effect }) => [ok, code, effect]);
    expect(codes).toEqual(
      expect.arrayContaining([
        [false, 'unknown_tool', 'none'],
        [false, 'invalid_json', 'none'],
        [false, 'approval_required', 'none'],
      ]),
    );
  });

  it('records arguments redacted, shortened, or not at all', async () => {
    const { records, sink } = recording();
    const text = `${token} correct horse ${'x'.repeat(9_000)}`;
    await audited(audit(sink, { secrets: ['correct horse'] })).call({ name: 'echo', arguments: { text } });
    await audited(audit(sink, { arguments: false })).call({ name: 'echo', arguments: { text } });
    const [first, second] = records();
    expect((first!.arguments as { text: string }).text).toContain('[redacted:github] [redacted:secret] xxx');
    expect(JSON.stringify(first!.arguments).length).toBeLessThanOrEqual(2_000);
    expect(second).not.toHaveProperty('arguments');
  });

  it('keeps an entry on one line whatever the model wrote', async () => {
    const { lines, sink } = recording();
    await audited(audit(sink)).call({ id: 'a\nb', name: 'x\n{"ok":true}', arguments: '\n\n' });
    expect(lines[0]!.split('\n')).toHaveLength(2);
  });

  it('writes to anything that can be written to, and listens to its errors', async () => {
    const stream = Object.assign(new EventEmitter(), { write: vi.fn() });
    const onError = vi.fn();
    await audited(audit(stream, { onError })).call({ name: 'echo' });
    expect(stream.write).toHaveBeenCalledOnce();
    const full = new Error('disk full');
    stream.emit('error', full);
    expect(onError).toHaveBeenCalledWith(full);
  });

  const failing: [how: string, sink: (line: string) => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
  ];

  it.each(failing)('lets no call suffer from a sink that %s', async (_how, sink) => {
    const onError = vi.fn(() => {
      throw new Error('and so does this');
    });
    const result = await audited(audit(sink, { onError })).call({ name: 'echo', arguments: { text: 'a' } });
    await nextTurn();
    expect(result).toMatchObject({ ok: true, data: 'a' });
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('full'));
  });

  it('warns once when nobody else is told that the sink fails', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const router = audited(audit(failing[0]![1]));
    await router.callAll([{ name: 'echo' }, { name: 'echo' }]);
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });

  it('does not wait for a slow sink', async () => {
    const result = await audited(audit(() => new Promise(() => {}))).call({ name: 'echo', arguments: { text: 'a' } });
    expect(result.data).toBe('a');
  });

  it('records a call that the router answered because a stage hung', async () => {
    const { records, sink } = recording();
    const stuck = defaultPipeline()
      .before('normalize', 'audit', audit(sink))
      .after('normalize', 'stuck', () => new Promise(() => {}));
    const controller = new AbortController();
    const pending = createRouter({ tools: [echo], pipeline: stuck }).call(
      { name: 'echo' },
      { signal: controller.signal },
    );
    controller.abort();
    expect((await pending).ok).toBe(false);
    expect(records()).toEqual([expect.objectContaining({ ok: false, tool_name: 'echo' })]);
  });

  it('records what became of a call whose arguments were edited', async () => {
    const { records, sink } = recording();
    const approve = () => ({ decision: 'allow', arguments: { text: 'edited' } }) as const;
    const result = await audited(audit(sink), { approve }).call({ name: 'push', arguments: { text: 'a' } });
    expect(result.data).toBe('edited');
    expect(records()).toEqual([expect.objectContaining({ ok: true, arguments: { text: 'edited' } })]);
  });

  it('stays synchronous around a synchronous chain', () => {
    const { lines, sink } = recording();
    const router = audited(audit(sink));
    void router.call({ name: 'nothing' });
    expect(lines).toHaveLength(1);
  });

  it('refuses a sink or option that cannot work', () => {
    expect(() => audit({} as never)).toThrow(/write method/);
    expect(() => audit(null as never)).toThrow(TypeError);
    expect(() => audit(() => {}, { argument: false } as never)).toThrow(/no option/);
    expect(() => audit(() => {}, { maxArgumentCharacters: 1 })).toThrow(/at least 64/);
  });
});
