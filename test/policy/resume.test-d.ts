import { test } from 'vitest';
import { type Resumable, resume } from '../../src/policy/resume.ts';
import type { SignedDecision } from '../../src/policy/signed.ts';
import type { ApprovalStore } from '../../src/policy/store.ts';
import type { Router } from '../../src/router.ts';
import type { CallOptions } from '../../src/router-options.ts';

declare const router: Router<{ user: string }>;
declare const signed: SignedDecision;
declare const store: ApprovalStore;
declare const state: NonNullable<CallOptions<{ user: string }>['state']>;
declare const stateless: Pick<Resumable, 'call'>;
const kept = { store, key: 'k' };

test('the state of a resumed call has the type that it has in router.call', () => {
  router.resume(signed, kept);
  router.resume(signed, { ...kept, state });
  resume(router, signed, { ...kept, state });
  resume(stateless, signed, { ...kept, state });
  // @ts-expect-error 'number' is not assignable to 'string'
  router.resume(signed, { ...kept, state: { user: 1 } });
  // @ts-expect-error 'number' is not assignable to 'string', and the router says what it is
  resume(router, signed, { ...kept, state: { user: 1 } });
  // @ts-expect-error an option that does not exist
  router.resume(signed, { ...kept, stat: state });
});
