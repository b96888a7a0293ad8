import { AssertionError } from 'node:assert';
import { didYouMean } from '../basics/nearest.ts';
import { type ErrorCode, errorCodes, isErrorCode } from '../errors.ts';
import { type Failure, isToolResult, type ToolResult } from '../result.ts';
import type { ToolCall } from '../types.ts';
import { differences } from './differences.ts';

/**
 * Asserts that a call did what it should, and gives its data; with `data`, that it gave this. Throws an AssertionError
 * that says why the call failed, or where the data differs.
 *
 * @example
 * const { celsius } = expectOk(await router.invoke(weather, { city: 'Bonn' }));
 */
export function expectOk<T>(result: ToolResult<T>, data?: unknown): T {
  checkResult(result, expectOk);
  if (!result.ok) {
    fail(`${nameOf(result)} failed with ${result.code}: ${result.error}`, result, { ok: true }, expectOk);
  }
  if (data === undefined) return result.data;
  const found = differences(data, result.data);
  if (found.length > 0) fail(listed(`${nameOf(result)} gave other data`, found), result.data, data, expectOk);
  return result.data;
}

/**
 * Asserts that a call failed, with this code or one of these and with this text in its error, and gives the failure.
 *
 * @example
 * expectFailure(await router.call({ name: 'delete_all' }), 'denied', /production/);
 */
export function expectFailure(
  result: ToolResult,
  code?: ErrorCode | readonly ErrorCode[],
  error?: string | RegExp,
): Failure {
  checkResult(result, expectFailure);
  const codes = code === undefined ? undefined : [code].flat();
  for (const expected of codes ?? []) {
    if (isErrorCode(expected)) continue;
    throw new TypeError(
      `expectFailure() was given "${String(expected)}", and there is no such code. The codes are: ${errorCodes.join(', ')}.${didYouMean(String(expected), errorCodes)}`,
    );
  }
  const wanted = codes === undefined ? 'a failure' : `a failure with ${codes.join(' or ')}`;
  if (result.ok) {
    const gave = `${nameOf(result)} succeeded with ${JSON.stringify(result.data)?.slice(0, 500)}`;
    fail(`${gave}; expected was ${wanted}.`, result, codes, expectFailure);
  }
  if (codes !== undefined && !codes.includes(result.code)) {
    const failed = `${nameOf(result)} failed with ${result.code}: ${result.error}`;
    fail(`${failed}\nExpected was ${wanted}.`, result.code, codes, expectFailure);
  }
  if (
    error !== undefined &&
    !(typeof error === 'string' ? result.error.includes(error) : result.error.search(error) >= 0)
  ) {
    fail(
      `The error of ${nameOf(result)} does not have ${String(error)}: ${result.error}`,
      result.error,
      error,
      expectFailure,
    );
  }
  return result;
}

/**
 * Asserts that there is exactly one well-formed result for each call, in any order, and gives the results in the order
 * of the calls. Calls without an id are told apart by their tools' names only.
 *
 * @example
 * const results = [];
 * for await (const event of router.stream(calls)) if (event.type === 'result') results.push(event.result);
 * const [first, second] = expectOneEach(calls, results);
 */
export function expectOneEach(calls: Iterable<ToolCall>, results: Iterable<ToolResult>): ToolResult[] {
  const left = [...results];
  for (const result of left) checkResult(result, expectOneEach);
  const take = (call: ToolCall): ToolResult => {
    const at = left.findIndex((result) => answers(result, call));
    if (at < 0) {
      const others = left.map(nameOf).join(', ') || 'none';
      fail(`There is no result for ${callName(call)}. Results left over: ${others}.`, left, call, expectOneEach);
    }
    return left.splice(at, 1)[0] as ToolResult;
  };
  const all = [...calls];
  const found = new Map<number, ToolResult>();
  // Those with an id first: only they know which result is theirs.
  for (const hasId of [true, false]) {
    for (const [at, call] of all.entries()) if ((idOf(call) !== undefined) === hasId) found.set(at, take(call));
  }
  if (left.length > 0) {
    fail(`There are results that no call asked for: ${left.map(nameOf).join(', ')}.`, left, [], expectOneEach);
  }
  return all.map((_, at) => found.get(at) as ToolResult);
}

function answers(result: ToolResult, call: ToolCall): boolean {
  const id = idOf(call);
  return result.tool_name === call.name && (id === undefined || result.call_id === id);
}

/** An empty id is none. */
function idOf({ id }: ToolCall): string | undefined {
  return id === '' ? undefined : id;
}

function checkResult(result: unknown, caller: Caller): asserts result is ToolResult {
  if (isToolResult(result)) return;
  const kind = result instanceof Promise ? 'a promise, which has to be awaited' : `${typeof result}`;
  fail(`That is not the result of a call, but ${kind}.`, result, 'a result', caller);
}

function nameOf({ tool_name, call_id }: ToolResult): string {
  return `${tool_name} (${call_id})`;
}

function callName({ name, id }: ToolCall): string {
  return id === undefined ? name : `${name} (${id})`;
}

export function listed(title: string, lines: readonly string[]): string {
  return `${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

// biome-ignore lint/complexity/noBannedTypes: where a stack begins can be any function
type Caller = Function;

function fail(message: string, actual: unknown, expected: unknown, stackStartFn: Caller): never {
  throw new AssertionError({ message, actual, expected, operator: stackStartFn.name, stackStartFn });
}
