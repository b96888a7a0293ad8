import type { McpServerFactory, Server } from '@modelcontextprotocol/server';
import type { Router } from 'callgate';
import { elicitApproval, type McpServing, mcpServer, serveMcpHttp, serveMcpStdio } from 'callgate/mcp';
import type { Approve } from 'callgate/policy';
import { expectTypeOf, test } from 'vitest';

declare const router: Router<{ tenant: string }>;

test('what is served can be stopped, and over HTTP has an address', () => {
  expectTypeOf(serveMcpStdio(router)).resolves.toEqualTypeOf<McpServing>();
  expectTypeOf(serveMcpHttp(router, { port: 1, token: { alice: 'x' } })).resolves.toExtend<
    McpServing & { readonly url: string }
  >();
});

test('the factory is one that the SDK takes', () => {
  expectTypeOf(mcpServer(router)).toExtend<McpServerFactory>();
  expectTypeOf(mcpServer(router)()).resolves.toEqualTypeOf<Server>();
});

test('elicitation is an approver like any other', () => {
  expectTypeOf(elicitApproval({ timeout: 1_000 })).toEqualTypeOf<Approve>();
});

test('options that do not exist are refused', () => {
  // @ts-expect-error a mistyped limit must not be no limit
  serveMcpHttp(router, { maxInFligth: 1 });
  // @ts-expect-error only over HTTP is there a token
  serveMcpStdio(router, { token: 'x' });
});
