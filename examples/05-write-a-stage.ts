// A stage of your own is an equal of the built-in ones. Two forms: `(ctx, next)` around the rest of the chain, and a
// step that only looks on the way in.
import assert from 'node:assert/strict';
import {
  type Call,
  createRouter,
  defaultPipeline,
  defineTool,
  type Found,
  type Stage,
  step,
  type ToolContext,
} from 'callgate';

interface State {
  tenant?: string;
}

// A step returns what it adds, or an answer that ends the call here, or nothing to let it pass.
const tenant = step((ctx: Call<State>) =>
  ctx.state.tenant === undefined ? ctx.fail('denied', 'No tenant is set for this run.') : { tenant: ctx.state.tenant },
);

// Around: counts what came out. The result travels by return value; forgetting to return it does not compile.
const counts = new Map<string, number>();
const counting: Stage<Call> = async (ctx, next) => {
  const result = await next();
  const key = `${ctx.call.name} ${result.ok ? 'ok' : result.code}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return result;
};

// What a stage needs is its first type parameter, what it adds its second: this one needs the tool and adds a quota.
const quota: Stage<Found & { tenant: string }, { quota: number }> = (ctx, next) => {
  const left = ctx.tool.tags?.includes('costly') && ctx.tenant === 'free' ? 0 : 10;
  return left > 0 ? next({ quota: left }) : ctx.fail('budget_exceeded', 'The free plan has no costly tools.');
};

const mine = defaultPipeline<State>()
  .before('normalize', 'counting', counting)
  .before('lookup', 'tenant', tenant)
  .after('lookup', 'log', (_ctx, next) => next());

const train = defineTool({
  name: 'train',
  description: 'Train a model.',
  parameters: { type: 'object' },
  permission: 'read',
  tags: ['costly'],
  handler: (_args, ctx: ToolContext<State>) => `trained for ${ctx.state.tenant}`,
});

const router = createRouter<State>({ tools: [train], pipeline: mine, state: {} });
assert.equal((await router.call({ name: 'train' })).error, 'No tenant is set for this run.');
assert.equal((await router.call({ name: 'train' }, { state: { tenant: 'acme' } })).data, 'trained for acme');
assert.deepEqual(
  [...counts],
  [
    ['train denied', 1],
    ['train ok', 1],
  ],
);

// A stage is a function, so it can be tried on its own.
const fake = { tool: train, tenant: 'free', fail: (code: string) => ({ ok: false, code }) };
const refused = await quota(fake as never, () => assert.fail('must not go on'));
assert.equal(!refused.ok && refused.code, 'budget_exceeded');
