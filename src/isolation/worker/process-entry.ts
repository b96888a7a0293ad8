import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { FrameReader, headerFor } from '../frames.ts';
import { serve } from './serve.ts';

// The handles that the router gave: messages, and a pipe that says nothing and closes when the router is gone.
const messages = new Socket({ fd: 3, readable: true, writable: true });
const lifeline = 4;

// Whatever keeps this thread busy, another one sees that the router is gone, and ends the whole group of processes.
const guardian = `
const { Socket } = require('node:net');
const end = () => {
  try {
    process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL');
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
};
new Socket({ fd: ${lifeline}, readable: true, writable: false }).on('error', end).on('close', end).resume();
`;
new Worker(guardian, { eval: true, env: {}, execArgv: [] }).unref();

const receive = serve((bytes) => {
  messages.cork();
  messages.write(headerFor(bytes));
  messages.write(bytes);
  messages.uncork();
});
const reader = new FrameReader(Number.POSITIVE_INFINITY, receive, () => {});
messages.on('data', (chunk: Uint8Array) => reader.push(chunk));
messages.on('error', () => process.exit());
messages.on('close', () => process.exit());
