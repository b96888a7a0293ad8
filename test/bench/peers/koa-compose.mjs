import Ajv from 'ajv';
import compose from 'koa-compose';
import pTimeout from 'p-timeout';

/** The chain as one would write it by hand with the usual parts: six async middlewares, and a signal for every call. */
export async function contender({ description, handler, parameters, deadline }) {
  const tools = new Map([['add', { name: 'add', description, permission: 'read', handler }]]);
  const validate = new Ajv.default().compile(parameters);
  const chain = compose([
    async function normalize(ctx, next) {
      try {
        await next();
        ctx.result = {
          ok: true,
          tool_name: ctx.call.name,
          data: ctx.data,
          error: null,
          call_id: ctx.call.id,
          meta: {},
        };
      } catch (error) {
        ctx.result = {
          ok: false,
          tool_name: ctx.call.name,
          data: null,
          error: error.message,
          call_id: ctx.call.id,
          meta: {},
        };
      }
    },
    async function lookup(ctx, next) {
      ctx.tool = tools.get(ctx.call.name);
      if (ctx.tool === undefined) throw new Error(`no tool ${ctx.call.name}`);
      await next();
    },
    async function checked(ctx, next) {
      const { arguments: args } = ctx.call;
      ctx.args = typeof args === 'string' ? JSON.parse(args) : args;
      if (!validate(ctx.args)) throw new Error(validate.errors[0].message);
      await next();
    },
    async function permission(ctx, next) {
      if (ctx.tool.permission !== 'read') throw new Error('denied');
      await next();
    },
    async function timeout(ctx, next) {
      const controller = new AbortController();
      ctx.signal = controller.signal;
      try {
        await pTimeout(next(), { milliseconds: deadline });
      } catch (error) {
        controller.abort(error);
        throw error;
      }
    },
    async function execute(ctx) {
      ctx.data = await ctx.tool.handler(ctx.args, { signal: ctx.signal });
    },
  ]);
  const call = async (made) => {
    const ctx = { call: made };
    await chain(ctx);
    return ctx.result;
  };
  return { call, pick: (result) => result.data };
}
