// Approvals that last: "always" keeps a rule that is shown whole, and where nobody is there to ask, a person decides later,
// elsewhere, with a signature.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter, defineTool } from 'callgate';
import { type ApprovalRequest, fileStore, type PendingApproval, ruleMemory, signDecision } from 'callgate/policy';

const folder = await mkdtemp(join(tmpdir(), 'callgate-approvals-'));
const rulesFile = join(folder, 'callgate.rules.json');

const sent: string[] = [];
const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'], additionalProperties: false },
  permission: 'network',
  handler: ({ to }) => {
    sent.push(to);
    return `sent to ${to}`;
  },
});
const mail = (to: string) => ({ name: 'send_mail', arguments: { to } });

try {
  // Somebody is there: asked once, they say "always, in this project", having seen the rule.
  const shown: ApprovalRequest[] = [];
  const attended = createRouter({
    tools: [sendMail],
    remember: ruleMemory(rulesFile),
    approve: (request) => {
      shown.push(request);
      return request.always === undefined ? 'deny' : { decision: 'allow', always: { scope: 'project' } };
    },
  });
  assert.equal((await attended.call(mail('ada@example.com'))).ok, true);
  assert.equal((await attended.call(mail('ada@example.com'))).ok, true);
  assert.equal(shown.length, 1);
  const { rules } = JSON.parse(await readFile(rulesFile, 'utf8'));
  assert.deepEqual(rules, [shown[0]?.always?.rule]);
  assert.deepEqual(rules[0]?.arguments, { to: 'ada@example.com' });

  // A later process, in which nobody is there: the rule counts, and everything else waits.
  const store = fileStore(join(folder, 'approvals'));
  const unattended = createRouter({ tools: [sendMail], remember: ruleMemory(rulesFile), approvals: store });
  assert.equal((await unattended.call(mail('ada@example.com'))).ok, true);
  const waiting = await unattended.call(mail('bob@example.com'));
  assert.ok(!waiting.ok && waiting.code === 'approval_required');
  const { id } = (waiting.details as { pending: PendingApproval }).pending;

  // Where the person is: they read what is pending, and sign.
  const key = 'shared by these two processes, and nobody else';
  const pending = await store.load(id);
  assert.ok(pending !== undefined);
  const signed = signDecision(pending, 'allow', key, { by: 'carol' });

  // Where the tools are: the call gets its final result, once.
  const result = await unattended.resume(signed, { store, key });
  assert.deepEqual(result.data, 'sent to bob@example.com');
  const again = await unattended.resume(signed, { store, key });
  assert.ok(!again.ok && again.code === 'denied');
  assert.deepEqual(sent, ['ada@example.com', 'ada@example.com', 'ada@example.com', 'bob@example.com']);
} finally {
  await rm(folder, { recursive: true });
}
