import { getCedarLangVersion } from '@cedar-policy/cedar-wasm/nodejs';
import { type CedarOptions, cedarPolicy } from 'callgate/policy/cedar';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { permission } from '../../middleware/permission.ts';
import { cedarValue } from '../../src/policy/cedar-values.ts';
import type { PolicyRequest } from '../../src/policy/policy.ts';
import { rules } from '../../src/policy/rules.ts';
import type { Ruling } from '../../src/policy/verdict.ts';
import type { Failure } from '../../src/result.ts';
import { look, readyFor, requestOf, toolOf } from './stand-in.ts';

const decided = (policies: string, request: Partial<PolicyRequest> = {}, more: Partial<CedarOptions> = {}): unknown =>
  cedarPolicy({ policies, ...more }).decide(requestOf(request));

const everything = 'permit(principal, action, resource);';

test('the engine is one of the language that this was written for', () => {
  expect(getCedarLangVersion()).toMatch(/^4\./);
});

describe('what the policies are told', () => {
  const tool = toolOf({ name: 'mail', permission: 'network', source: 'office', tags: ['slow', 'costly'] });
  test.each<[string, string]>([
    ['the user', 'principal == User::"ada"'],
    ['the action', 'action == Action::"call"'],
    ['the tool by name', 'resource == Tool::"mail"'],
    ['the tool as an attribute', 'resource.name == "mail"'],
    ['its level', 'resource.level == "network"'],
    ['its source', 'resource in Toolset::"office"'],
    ['its tags', 'resource.tags.contains("slow")'],
    ['the mode', 'context.mode == "auto"'],
    ['a text', 'context.arguments.to == "bob"'],
    ['a whole number', 'context.arguments.copies < 4'],
    ['another number', 'context.arguments.price.lessThan(decimal("1.6"))'],
    ['a yes or no', 'context.arguments.urgent'],
    ['something nested', 'context.arguments.more.cc.contains("carl")'],
    ['null, as being there', 'context.arguments has reply && context.arguments.reply == Null::"null"'],
    ['an absence', '!(context.arguments has bcc)'],
    ['the files that are read', 'context.effects.reads.contains("/w/a")'],
    ['the files that are written', 'context.effects.writes == ["/w/b"]'],
    ['the hosts', 'context.effects.hosts.contains("example.com")'],
    ['the ports', 'context.effects.connections.contains({ host: "example.com", port: 443 })'],
    ['the programs', 'context.effects.commands.contains({ program: "git", argv: "[\\"git\\",\\"log\\"]" })'],
  ])('%s', (_, condition) => {
    const request: Partial<PolicyRequest> = {
      tool,
      mode: 'auto',
      run: { id: 'r', mode: 'auto', principal: 'ada' },
      arguments: { to: 'bob', copies: 3, price: 1.5, urgent: true, more: { cc: ['carl'] }, reply: null },
      effects: [
        { kind: 'fs.read', path: '/w/a' },
        { kind: 'fs.write', path: '/w/b' },
        { kind: 'net', host: 'example.com', port: 443 },
        { kind: 'exec', argv: ['git', 'log'] },
      ],
    };
    expect(decided(`permit(principal, action, resource) when { ${condition} };`, request)).toEqual({
      decision: 'allow',
      rule: 'policy0',
    });
  });

  test('a tool of the program’s own, and an agent without a user', () => {
    const policies =
      'permit(principal == Agent::"run_1", action, resource in Toolset::"own") unless { resource has level };';
    expect(decided(policies)).toMatchObject({ decision: 'allow' });
  });

  test('entities of yours, such as groups, and another principal', () => {
    const more = {
      principal: () => ({ type: 'User', id: 'ada' }),
      entities: [{ uid: { type: 'User', id: 'ada' }, parents: [{ type: 'Group', id: 'staff' }] }],
    };
    const policies = 'permit(principal in Group::"staff", action, resource);';
    expect(decided(policies, {}, more)).toMatchObject({ decision: 'allow' });
    expect(decided(policies, {}, { ...more, entities: [] })).toMatchObject({ decision: 'deny' });
  });
});

describe('what is decided', () => {
  test('a forbid beats a permit, with its name and its reason', () => {
    const policies = `${everything} @id("house") @reason("nothing is sent") forbid(principal, action, resource);`;
    expect(decided(policies)).toEqual({ decision: 'deny', rule: 'house', reason: 'nothing is sent' });
  });

  test('nothing said is a denial, or no opinion where that is wanted', () => {
    expect(decided('')).toMatchObject({ decision: 'deny', reason: 'no policy permits this call' });
    expect(decided('', {}, { otherwise: 'silent' })).toBeUndefined();
    expect(decided('forbid(principal, action, resource);', {}, { otherwise: 'silent' })).toMatchObject({
      decision: 'deny',
    });
  });

  test('a permit with @ask asks, also beside one without', () => {
    const policies = `${everything} @id("big") @ask("it is a lot") permit(principal, action, resource);`;
    expect(decided(policies)).toEqual({ decision: 'ask', rule: 'big', reason: 'it is a lot' });
  });

  test('a policy that errs is a denial, although Cedar itself would let pass what a forbid could not judge', () => {
    const policies = `${everything} forbid(principal, action, resource) when { context.arguments.path like "secrets/*" };`;
    expect(decided(policies, { arguments: { path: 'notes' } })).toMatchObject({ decision: 'allow' });
    const ruling = decided(policies, { arguments: {} }) as Ruling;
    expect(ruling).toMatchObject({ decision: 'deny', reason: 'a policy could not decide' });
    expect(String(ruling.cause)).toContain('does not have the attribute `path`');
    // A type that does not fit is the same kind of error.
    expect(decided(policies, { arguments: { path: ['secrets/a'] } })).toMatchObject({ decision: 'deny' });
    expect(decided(policies, { arguments: { path: null } })).toMatchObject({ decision: 'deny' });
  });

  test('a request that Cedar cannot read is a denial', () => {
    const schema = `entity User; entity Agent; entity Toolset; entity Tool in [Toolset] = { name: String, tags: Set<String>, level?: String };
      action call appliesTo { principal: [User], resource: [Tool], context: {} };`;
    // The schema knows no agents, and this request comes from one: {type: 'failure'}.
    const ruling = decided(everything, {}, { schema }) as Ruling;
    expect(ruling).toMatchObject({ decision: 'deny', reason: 'a policy could not decide' });
    expect(String(ruling.cause)).toContain('Cedar gave no decision');
  });
});

describe('arguments cannot become anything but data', () => {
  const onlyAdmin = 'permit(principal, action, resource) when { context.arguments.who == User::"admin" };';
  const stage = permission({ policies: [cedarPolicy({ policies: `${everything} ${onlyAdmin}` })] });

  test.each<[string, unknown]>([
    ['an entity', { who: { __entity: { type: 'User', id: 'admin' } } }],
    ['an extension', { who: { __extn: { fn: 'ip', arg: '10.0.0.1' } } }],
    ['an expression', { who: { __expr: 'User::"admin"' } }],
    ['one deep inside', { list: [{ a: { __entity: { type: 'User', id: 'admin' } } }] }],
    ['broken Unicode', { who: 'a\ud800' }],
    ['a broken name', { 'a\udc00': 1 }],
    ['a number too large to be exact', { n: 2 ** 60 }],
    ['a number with too many digits', { n: 0.123456 }],
    ['infinity', { n: Number.POSITIVE_INFINITY }],
    ['a class', { n: new Map() }],
  ])('%s is a denial', (_, args) => {
    const answer = look(stage, readyFor({ args, mode: 'trusted' })) as unknown as Failure;
    expect(answer).toMatchObject({ code: 'denied', details: { reason: 'policy' } });
  });

  test('two values that differ are never one to Cedar', () => {
    const plain = fc.jsonValue().filter((value) => {
      try {
        cedarValue(value);
        return true;
      } catch {
        return false;
      }
    });
    fc.assert(
      fc.property(plain, plain, (one, other) => {
        const same = JSON.stringify(cedarValue(one)) === JSON.stringify(cedarValue(other));
        expect(same).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  test('a member named __proto__ is a member', () => {
    const args = JSON.parse('{"__proto__":{"admin":true}}');
    expect(
      decided('permit(principal, action, resource) when { context.arguments has admin };', { arguments: args }),
    ).toMatchObject({ decision: 'deny' });
    const policies = 'permit(principal, action, resource) when { context.arguments has "__proto__" };';
    expect(decided(policies, { arguments: args })).toMatchObject({ decision: 'allow' });
  });
});

describe('what cannot be read is refused at once', () => {
  test.each<[string, object, RegExp]>([
    ['no text', { policies: 5 }, /must be text in the Cedar language/],
    ['a mistake', { policies: 'permit(principal' }, /policies.*cannot be read by Cedar.*unexpected end/],
    ['a template', { policies: 'permit(principal == ?principal, action, resource);' }, /includes a template/],
    ['two of one name', { policies: `@id("a") ${everything} @id("a") ${everything}` }, /two policies with the id "a"/],
    ['a forbid that asks', { policies: '@ask forbid(principal, action, resource);' }, /only a permit can ask/],
    ['a bad schema', { policies: '', schema: 'entity' }, /schema.*cannot be read/],
    ['bad entities', { policies: '', entities: [{ uid: { type: '1', id: 'a' } }] }, /entities.*cannot be read/],
    ['an unknown word', { policies: '', otherwise: 'allow' }, /deny or silent/],
    ['an unknown option', { policies: '', default: 'deny' }, /has no option "default"/],
  ])('%s', (_, options, message) => {
    expect(() => cedarPolicy(options as CedarOptions)).toThrow(message);
  });

  test('a policy that names what the schema does not have', () => {
    const schema = `entity User; entity Tool = { level: String };
      action call appliesTo { principal: [User], resource: [Tool], context: { arguments: { path?: String } } };`;
    const policies =
      'permit(principal, action, resource) when { context.arguments has path && context.arguments.pth == "a" };';
    expect(() => cedarPolicy({ policies, schema })).toThrow(
      /"policy0" does not fit the schema.*pth.*did you mean `path`/,
    );
  });
});

test('it counts with the others: a rule that denies still does, and an approval is bound to its text', () => {
  const stage = permission({
    rules: [{ decision: 'deny', tool: 'write_*' }],
    policies: [cedarPolicy({ policies: everything })],
  });
  expect(look(stage, readyFor())).toMatchObject({ code: 'denied' });
  const versions = [everything, `${everything}\n`].map((policies) => cedarPolicy({ policies }).version);
  expect(versions[0]).not.toBe(versions[1]);
  expect(rules([]).version).not.toBe(versions[0]);
});

test('a decision is cheap', () => {
  const policy = cedarPolicy({
    policies: `${everything} forbid(principal, action, resource) when { context.arguments.path like "secrets/*" };`,
  });
  const request = requestOf({ arguments: { path: 'notes/a.txt', content: 'x'.repeat(1000) } });
  const times = Array.from({ length: 300 }, () => {
    const begun = performance.now();
    policy.decide(request);
    return performance.now() - begun;
  }).sort((a, b) => a - b);
  // Generous, for machines that are busy; on an idle one it takes a tenth of a millisecond.
  expect(times[150]).toBeLessThan(2);
});

test('the package is loaded by the first call and not by the import; without it, the error names it', async () => {
  const asked: string[] = [];
  vi.resetModules();
  vi.doMock('node:module', () => ({
    createRequire: () => (name: string) => {
      asked.push(name);
      throw new Error('not found');
    },
  }));
  try {
    const { cedarPolicy } = await import('callgate/policy/cedar');
    expect(asked).toEqual([]);
    expect(() => cedarPolicy({ policies: '' })).toThrow(/Run: npm install @cedar-policy\/cedar-wasm/);
    expect(asked).toEqual(['@cedar-policy/cedar-wasm/nodejs']);
  } finally {
    vi.doUnmock('node:module');
  }
});
