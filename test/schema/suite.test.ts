import { describe, expect, it } from 'vitest';
import { createSchemaEngine } from '../../src/schema/engine.ts';
import type { JsonSchema } from '../../src/schema/json-schema.ts';
import { corpora, missing } from './corpora.ts';
import { groupsOf, outcome, remotesOf, withDialect } from './suite.ts';

const drafts = {
  draft7: { dialect: 'http://json-schema.org/draft-07/schema#', plain: 919, all: 927 },
  'draft2019-09': { dialect: 'https://json-schema.org/draft/2019-09/schema', plain: 1231, all: 1259 },
  'draft2020-12': { dialect: 'https://json-schema.org/draft/2020-12/schema', plain: 1237, all: 1299 },
} as const;

/**
 * What does not pass, by file and group, and why. All but the first are limits of Ajv; what concerns tools is that most of
 * them refuse, or do not compile at all, and that none is reached without keywords that tool schemas do not use.
 */
const differences: readonly [RegExp, string][] = [
  [/^properties.*__proto__/, 'Ajv skips a property named __proto__; arguments that have such a key never get this far'],
  [
    /^ref.*(overrides any sibling|prevents a sibling \$id)/,
    'Ajv heeds keywords beside $ref in draft 7 as in later drafts: stricter, as authors mean it',
  ],
  [/^enum.*empty enum/, 'Ajv refuses an empty enum as a mistake; so do we, naming the place'],
  [
    /^ref.*(relative uris? and defs|absolute uris and defs|URN ref with nested pointer)/,
    'Ajv overflows its stack on an $id relative to its own document; refused as a schema',
  ],
  [/^dynamicRef|with \$dynamicRef/, 'Ajv knows $dynamicRef only as far as the meta-schemas need it'],
  [/^recursiveRef/, 'the same for $recursiveRef'],
  [
    /^unevaluated(Items|Properties)/,
    'Ajv does not see all evaluations made by contains, by nested items, and by an if alone',
  ],
  [/^vocabulary/, 'Ajv does not leave out vocabularies that a custom meta-schema leaves out: stricter'],
];

describe.skipIf(corpora === undefined)(`the JSON Schema test suite${corpora ? '' : ` (skipped: ${missing})`}`, () => {
  it.each(Object.entries(drafts))('%s passes at least as often as with Ajv alone', (draft, { dialect, plain, all }) => {
    const engine = createSchemaEngine({ formats: false, schemas: remotesOf(draft) });
    const failed: string[] = [];
    let total = 0;
    for (const [file, group] of groupsOf(draft)) {
      const schema = withDialect(group.schema, dialect);
      for (const test of group.tests) {
        total++;
        const name = `${file}: ${group.description}: ${test.description}`;
        if (outcome(engine, schema, test.data) !== test.valid) failed.push(name);
      }
    }
    expect(failed.filter((name) => !differences.some(([kind]) => kind.test(name)))).toEqual([]);
    expect(total).toBe(all);
    expect(total - failed.length).toBeGreaterThanOrEqual(plain);
  });

  it.each(Object.entries(drafts))('%s comes out the same where data is known to be plain', (draft, { dialect }) => {
    const engine = createSchemaEngine({ formats: false });
    const verdict = (schema: JsonSchema, data: unknown, plain: boolean): boolean | string => {
      try {
        return engine.compile(schema, { plain })(structuredClone(data)) === undefined;
      } catch (error) {
        return String(error);
      }
    };
    for (const [file, group] of groupsOf(draft)) {
      const schema = withDialect(group.schema, dialect);
      for (const { data, description } of group.tests) {
        const where = `${file}: ${group.description}: ${description}`;
        expect(verdict(schema, data, true), where).toBe(verdict(schema, data, false));
      }
    }
  });
});
