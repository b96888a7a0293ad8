import { step } from 'callgate';
import { echo, fileTools, multiply } from 'callgate/tools';
import { shopTools } from './tools.mjs';
import { makeWorkspace } from './workspace.mjs';

const workspace = makeWorkspace();

// The user pressed "stop" while these calls were waiting for their turn.
const withdrawn = new Set(['call_36']);

/** @type {import('callgate').Config} */
export default {
  tools: [echo, multiply, ...fileTools, ...shopTools],
  roots: [workspace.root],
  mode: 'ask',
  rules: [
    {
      decision: 'deny',
      tool: 'send_invoice',
      arguments: { amount: { min: 1000 } },
      reason: 'invoices from 1000 are sent by people',
    },
  ],
  // Nobody is asked: what people answered when this run was recorded is in the file.
  answers: './approvals.json',
  timeout: 5_000,
  normalize: { maxCharacters: 600 },
  pipeline: (standard) =>
    standard.after(
      'normalize',
      'withdrawal',
      step(function withdrawal(ctx) {
        return withdrawn.has(ctx.call.id)
          ? ctx.fail('aborted', 'The user stopped the run before this call began.')
          : undefined;
      }),
    ),
  close: workspace.remove,
};
