import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { compare } from '../lib/measure.mjs';
import { ratioRow, wallRow } from '../lib/rows.mjs';
import { installed } from './peers.mjs';

/** Reading the files of a tree of 1,000, of 0.5 to 8.5 KB in three levels, every read guarded. */
export const title = 'files';

const count = 1000;

async function makeTree() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'callgate-bench-files-')));
  const files = [];
  for (let i = 0; i < count; i++) {
    const folder = join(`part-${i % 10}`, `chapter-${Math.floor(i / 10) % 10}`);
    await mkdir(join(root, folder), { recursive: true });
    const path = join(folder, `note-${i}.txt`);
    const text = `note ${i}: ${'words '.repeat(80 + ((i * 37) % 1330))}`;
    await writeFile(join(root, path), text);
    files.push({ path, absolute: join(root, path), length: text.length });
  }
  return { root, files };
}

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
};

/** Written by hand: validate, resolve, hold it under the root, read, envelope. */
function byHand(root) {
  const Ajv = createRequire(import.meta.url)('ajv').default;
  const validate = new Ajv().compile(parameters);
  return async function read(call) {
    const { name: tool_name, id: call_id, arguments: args } = call;
    try {
      if (!validate(args)) return { ok: false, tool_name, data: null, error: 'invalid arguments', call_id, meta: {} };
      const real = await realpath(join(root, args.path));
      if (!real.startsWith(root + sep))
        return { ok: false, tool_name, data: null, error: 'outside', call_id, meta: {} };
      return { ok: true, tool_name, data: await readFile(real, 'utf8'), error: null, call_id, meta: {} };
    } catch (error) {
      return { ok: false, tool_name, data: null, error: error.message, call_id, meta: {} };
    }
  };
}

function routed(callgate, root) {
  const read = callgate.defineTool({
    name: 'read_file',
    description: 'Reads a text file.',
    parameters,
    permission: 'read',
    paths: { path: 'read' },
    handler: async ({ path }, { fs }) => (await fs.readText(path)).text,
  });
  const router = callgate.createRouter({ tools: [read], roots: [root], mode: 'trusted' });
  return (call) => router.call(call);
}

/** The same walk over the tree for every contender, in an order that jumps between folders. */
function walk(files, read) {
  let at = 0;
  return async () => {
    at = (at + 387) % count;
    const file = files[at];
    const text = await read(file);
    if (text.length !== file.length) throw new Error(`a read gave ${text.length} characters, not ${file.length}`);
  };
}

async function measure({ entry, width, withPeer, ...pace }) {
  const { root, files } = await makeTree();
  const toCall = (file) => ({ id: 'c1', name: 'read_file', arguments: { path: file.path } });
  const dataOf = (run) => async (file) => {
    const result = await run(toCall(file));
    if (!result.ok) throw new Error(result.error);
    return result.data;
  };
  const check = () => {};
  const contenders = [
    { name: 'by hand', call: walk(files, dataOf(byHand(root))), check, width },
    { name: 'callgate', call: walk(files, dataOf(routed(await bench.load(entry), root))), check, width },
  ];
  let server;
  try {
    if (withPeer) {
      const { connect } = await import(new URL('../peers/server-filesystem.mjs', import.meta.url).href);
      server = await connect(root);
      const peer = server;
      contenders.push({ name: 'stdio', call: walk(files, (file) => peer.read(file.absolute)), check, width });
    }
    return await compare(contenders, { ...pace, sliceMs: Math.max(25, pace.sliceMs * 4) });
  } finally {
    await server?.close();
    await rm(root, { recursive: true });
  }
}

export const cases = { measure };

const settings = [
  { width: 1, how: 'one at a time', hand: 1.15, stdio: 2 },
  { width: 64, how: '64 at once', hand: 1.6, stdio: 1.7 },
];

export async function* rows(options) {
  const group = title;
  const withPeer = installed('@modelcontextprotocol/server-filesystem');
  for (const { width, how, hand, stdio } of settings) {
    const samples = await inChild(import.meta.url, 'measure', { ...options, width, withPeer });
    const what = `read of 1,000 files, ${how}`;
    const against = 'realpath and readFile by hand';
    yield wallRow(samples, 'callgate', 'by hand', {
      group,
      key: `${width}.wall`,
      what: `${what}: wall`,
      against,
      atMost: hand,
    });
    yield ratioRow(samples, 'callgate', 'by hand', { group, key: `${width}.cpu`, what: `${what}: CPU`, against });
    const peer = {
      group,
      key: `${width}.stdio`,
      what: `server-filesystem over stdio, ${how}: wall`,
      against: 'callgate',
      atLeast: stdio,
    };
    if (withPeer) yield wallRow(samples, 'stdio', 'callgate', peer);
    else yield { ...peer, skipped: 'peer not installed; add --install' };
  }
}
