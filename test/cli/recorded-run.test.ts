import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/result.ts';
import { callgate, folderWith, project, type Ran, resultsIn } from './run-cli.ts';

const folder = 'examples/recorded-run';
const command = `run ${folder}/calls.jsonl --config ${folder}/callgate.config.mjs`;

/** What must become of each call of the recording: `ok`, or the code and what else identifies the reason. */
const expected: readonly [id: string, tool: string, outcome: string, reason?: string][] = [
  ['call_01', 'list_files', 'ok'],
  ['call_02', 'read_file', 'ok'],
  ['call_03', 'search_files', 'ok'],
  ['call_04', 'multiply', 'ok'],
  ['call_05', 'list_files', 'ok'],
  ['call_06', 'divide', 'unknown_tool'],
  ['call_07', 'readFile', 'unknown_tool'],
  ['call_08', 'read_file', 'invalid_arguments', 'schema'],
  ['call_09', 'multiply', 'invalid_arguments', 'schema'],
  ['call_10', 'query_metric', 'invalid_arguments', 'schema'],
  ['call_11', 'query_metric', 'ok'],
  ['call_12', 'read_file', 'invalid_json', 'not_json'],
  ['call_13', 'write_file', 'invalid_json', 'truncated'],
  ['call_14', 'echo', 'invalid_arguments', 'double_encoded'],
  ['call_15', 'echo', 'invalid_arguments', 'forbidden_key'],
  ['call_16', 'read_file', 'path_denied', 'outside'],
  ['call_17', 'read_file', 'path_denied', 'outside'],
  ['call_18', 'read_file', 'path_denied', 'outside'],
  ['call_19', 'read_file', 'path_denied', 'escape'],
  ['call_20', 'read_file', 'path_denied', 'char'],
  ['call_21', 'read_file', 'ok'],
  ['call_22', 'fetch_report', 'timeout'],
  ['call_23', 'legacy_lookup', 'tool_error'],
  ['call_24', 'write_file', 'ok'],
  ['call_25', 'write_file', 'denied', 'declined'],
  ['call_26', 'edit_file', 'ok'],
  ['call_27', 'read_file', 'ok'],
  ['call_28', 'write_file', 'path_denied', 'protected'],
  ['call_29', 'send_invoice', 'denied', 'policy'],
  ['call_30', 'index_notes', 'ok'],
  ['call_31', 'render_chart', 'ok'],
  ['call_32', 'read_file', 'ok'],
  ['echo', 'echo', 'ok'],
  ['echo', 'echo', 'ok'],
  ['call_35', 'export_log', 'ok'],
  ['call_36', 'multiply', 'aborted'],
  ['call_37', 'show_settings', 'ok'],
];

const temporary = folderWith({});
const run = (): Promise<Ran> =>
  callgate(command.split(' '), { env: { TMPDIR: temporary, TEMP: temporary, TMP: temporary } });
let ran: Ran;
let results: ToolResult[];
const result = (id: string): ToolResult => results.find(({ call_id }) => call_id === id) as ToolResult;

beforeAll(async () => {
  ran = await run();
  results = resultsIn(ran.stdout);
});

describe('the recorded run', () => {
  it('is what npm start runs', () => {
    const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['start']).toBe(`node dist/src/cli/main.js ${command}`);
  });

  it('ends well, with exactly one result a call and nothing else', () => {
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    const told = results.map((one) => [one.call_id, one.tool_name, one.ok ? 'ok' : one.code]);
    expect(told).toEqual(expected.map(([id, tool, outcome]) => [id, tool, outcome]));
  });

  it.each(expected.filter(([, , , reason]) => reason !== undefined))('%s %s: %s, %s', (id, _tool, _code, reason) => {
    expect(result(id)).toMatchObject({ details: { reason } });
  });

  it('shows what tools give in its JSON form', () => {
    expect(result('call_04').data).toBe(234);
    expect(result('call_11').data).toEqual({ metric: 'revenue', months: 3, total: '9007199254740993' });
    expect(result('call_31').data).toMatchObject({ content: [{ type: 'text' }, { type: 'image' }] });
    expect(result('call_32').data).toContain('会议记录');
    expect(result('call_23').error).toContain('E42');
    expect(results.filter(({ call_id }) => call_id === 'echo').map(({ data }) => data)).toEqual([
      expect.stringContaining('naïve café'),
      'the same id as the call before',
    ]);
  });

  it('runs what was approved, as it was edited, and not what was declined', () => {
    expect(result('call_24')).toMatchObject({ data: { path: 'notes/wednesday.md', created: true } });
    expect(result('call_27').data).toContain('12 lamps (one of them broken)');
    expect(result('call_25').error).toContain('do not empty the README');
  });

  it('shortens what is long, and shows no secret and nothing of this machine', () => {
    expect(result('call_35').meta).toHaveProperty('truncated');
    expect(String(result('call_35').data).length).toBeLessThanOrEqual(600);
    expect(result('call_37').data).not.toContain('ghp_');
    expect(ran.stdout).not.toContain('nobody may read this');
    expect(ran.stdout).not.toContain(temporary);
    for (const line of ran.stdout.split('\n')) expect(line.length).toBeLessThan(2_000);
  });

  it('is the same every time', async () => {
    expect((await run()).stdout).toBe(ran.stdout);
  });

  it('leaves nothing behind', () => {
    expect(readdirSync(temporary)).toEqual([]);
  });
});
