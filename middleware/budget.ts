import { checkOptions } from '../src/basics/options.ts';
import { isPlainRecord } from '../src/basics/plain-object.ts';
import { namedTools } from '../src/chain/named-tools.ts';
import { PerRun } from '../src/policy/per-run.ts';
import { Allowance, payingFetch, payingFs, spentText } from '../src/policy/spending.ts';
import type { Failure } from '../src/result.ts';
import { type Guard, guard, makesStages, step } from '../src/traits.ts';
import type { Ready, Stage } from '../src/types.ts';

export interface BudgetOptions {
  /** Calls in a run. Default: no limit. */
  readonly calls?: number;
  /** Calls of single tools in a run, by their names. Default: no limits. */
  readonly perTool?: { readonly [tool: string]: number };
  /** Bytes that the tools of a run may write through `ctx.fs`, attempts that fail included. Default: no limit. */
  readonly bytesWritten?: number;
  /** Bytes of answers that the tools of a run may get through `ctx.fetch`. Default: no limit. */
  readonly bytesFetched?: number;
}

/**
 * Lets a run make so many calls, write so many bytes and fetch so many, and no more. Counts by the id of the run and its
 * principal, so that nobody uses up what another may use; of the 10,000 runs that were used last.
 *
 * It is in no pipeline by default. Put it after permission, so that a call which is not allowed costs nothing; with
 * `bytesWritten` it needs a path guard before it, with `bytesFetched` a URL guard. As a guard it cannot stand inside a
 * cache or before what rewrites arguments, nor inside a retry: an attempt is not a call.
 *
 * Fails with `budget_exceeded`; `details` has the `reason` (`calls`, `bytes written` ...) and the `limit`.
 *
 * @example
 * defaultPipeline({ roots: ['./workspace'] })
 *   .after('permission', 'budget', budget({ calls: 200, perTool: { send_mail: 3 }, bytesWritten: 10_000_000 }))
 */
export function budget(options: BudgetOptions): Stage<Ready> & Guard {
  const { calls, perTool, bytesWritten, bytesFetched } = checked(options);
  const accounts = new PerRun(
    () => ({
      calls: 0,
      perTool: new Map<string, number>(),
      written: new Allowance(bytesWritten ?? Number.POSITIVE_INFINITY, 'bytes written'),
      fetched: new Allowance(bytesFetched ?? Number.POSITIVE_INFINITY, 'bytes fetched'),
    }),
    10_000,
  );

  function budget(ctx: Ready): object | Failure | undefined {
    const { tool, fs, fetch } = ctx;
    const account = accounts.of(ctx.run);
    if (account.calls >= calls) return exceeded(ctx, 'calls', calls);
    const limit = perTool.get(tool.name);
    if (limit !== undefined) {
      const made = account.perTool.get(tool.name) ?? 0;
      if (made >= limit) return exceeded(ctx, `calls of ${tool.name}`, limit);
      account.perTool.set(tool.name, made + 1);
    }
    account.calls++;
    const paysForFiles = bytesWritten !== undefined && fs !== undefined;
    const paysForFetching = bytesFetched !== undefined && fetch !== undefined;
    if (!paysForFiles && !paysForFetching) return undefined;
    return {
      ...(paysForFiles && { fs: payingFs(fs, account.written) }),
      ...(paysForFetching && { fetch: payingFetch(fetch, account.fetched) }),
    };
  }

  const capabilities = [
    ...(bytesWritten === undefined ? [] : ['fs']),
    ...(bytesFetched === undefined ? [] : ['fetch']),
  ];
  const traits = { needs: ['tool', 'args', ...capabilities], adds: capabilities };
  const stage = guard(step(budget), traits) as Stage<Ready> & Guard;
  return Object.assign(stage, { namesTools: namedTools('budget({ perTool })', perTool.keys()) });
}
makesStages(budget);

function exceeded(ctx: Ready, what: string, limit: number): Failure {
  const text = spentText(`${limit.toLocaleString('en-US')} ${what}`);
  return ctx.fail('budget_exceeded', text, { details: { reason: what, limit } });
}

interface Checked {
  readonly calls: number;
  readonly perTool: ReadonlyMap<string, number>;
  readonly bytesWritten: number | undefined;
  readonly bytesFetched: number | undefined;
}

const optionNames = ['calls', 'perTool', 'bytesWritten', 'bytesFetched'] satisfies (keyof BudgetOptions)[];

function checked(options: BudgetOptions): Checked {
  checkOptions('budget', options, optionNames, optionNames);
  const { calls, perTool = {}, bytesWritten, bytesFetched } = options;
  if (!isPlainRecord(perTool)) {
    throw new TypeError('budget({ perTool }) must be an object: a number of calls by the name of the tool.');
  }
  for (const [name, limit] of [...Object.entries(options), ...Object.entries(perTool)]) {
    if (name === 'perTool' && limit === perTool) continue;
    if (Number.isSafeInteger(limit) && limit >= 0) continue;
    throw new TypeError(`budget(): "${name}" must be a whole number from 0; it is ${String(limit)}.`);
  }
  return {
    calls: calls ?? Number.POSITIVE_INFINITY,
    perTool: new Map(Object.entries(perTool)),
    bytesWritten,
    bytesFetched,
  };
}
