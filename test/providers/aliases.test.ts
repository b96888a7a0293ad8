import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeAliases, type NameRule, portableNames } from '../../src/providers/aliases.ts';
import { type ProviderName, providers } from '../../src/providers/index.ts';
import { toolNamed } from './tools.ts';

const canonicalName = fc
  .tuple(
    fc.constantFrom(...'abzXZ09_'),
    fc.string({ unit: fc.constantFrom(...'aB9_./-'), minLength: 0, maxLength: 127 }),
  )
  .map(([first, rest]) => first + rest);

describe('aliases', () => {
  it('leaves a name that fits as it is', () => {
    const aliases = makeAliases(['read_file', 'read-file'], portableNames);
    expect(aliases.alias('read_file')).toBe('read_file');
    expect(aliases.alias('read-file')).toBe('read-file');
  });

  it('writes dots and slashes so that a model can still read the name', () => {
    const aliases = makeAliases(['fs.read', 'github/issues.create'], portableNames);
    expect(aliases.alias('fs.read')).toBe('fs__read');
    expect(aliases.alias('github/issues.create')).toBe('github__issues__create');
    expect(aliases.canonical('github__issues__create')).toBe('github/issues.create');
  });

  it('gives seven different names to seven names that sanitising and cutting would make alike', () => {
    const long = 'x'.repeat(70);
    const names = ['catalog.query', 'catalog_query', 'read-file', 'read_file', `${long}_a`, `${long}_b`, '...'];
    const aliases = makeAliases(names, portableNames);
    const given = names.map(aliases.alias);
    expect(new Set(given).size).toBe(7);
    for (const [index, alias] of given.entries()) {
      expect(alias).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
      expect(aliases.canonical(alias)).toBe(names[index]);
    }
  });

  it('tells a name from the alias that another one would have, whoever came first', () => {
    const there = makeAliases(['fs.read', 'fs__read', 'fs/read'], portableNames);
    const back = makeAliases(['fs/read', 'fs__read', 'fs.read'], portableNames);
    expect(there.alias('fs__read')).toBe('fs__read');
    expect(there.alias('fs.read')).toMatch(/^fs__read_[0-9a-f]{8}$/);
    expect(there.alias('fs/read')).not.toBe(there.alias('fs.read'));
    expect(back.alias('fs.read')).toBe(there.alias('fs.read'));
  });

  it('keeps the tail of a name that is too long, where names differ', () => {
    const name = `server.${'deeply.'.repeat(12)}delete_user`;
    const alias = makeAliases([name], portableNames).alias(name);
    expect(alias.length).toBeLessThanOrEqual(64);
    expect(alias).toMatch(/^server__deeply.*_[0-9a-f]{8}_.*delete_user$/);
  });

  it('lets an unknown name pass untouched, even one that looks like an alias', () => {
    const aliases = makeAliases(['fs.read'], portableNames);
    expect(aliases.canonical('fs__write')).toBe('fs__write');
    expect(aliases.canonical('constructor')).toBe('constructor');
  });

  it('is reversible, free of collisions, valid and independent of order for any names', () => {
    const rule: NameRule = { limit: 24, characters: /[A-Za-z0-9_-]/, first: /[A-Za-z]/ };
    fc.assert(
      fc.property(fc.uniqueArray(canonicalName, { maxLength: 30 }), fc.nat(), (names, turn) => {
        const aliases = makeAliases(names, rule);
        const rotated = [...names.slice(turn % (names.length || 1)), ...names.slice(0, turn % (names.length || 1))];
        const again = makeAliases(rotated.reverse(), rule);
        const given = names.map(aliases.alias);
        expect(new Set(given).size).toBe(names.length);
        for (const [index, alias] of given.entries()) {
          expect(alias).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,23}$/);
          expect(aliases.canonical(alias)).toBe(names[index]);
          expect(again.alias(names[index]!)).toBe(alias);
        }
      }),
    );
  });

  const patterns: { readonly [Name in ProviderName]: RegExp } = {
    openai: /^[A-Za-z0-9_-]{1,64}$/,
    'openai-responses': /^[A-Za-z0-9_-]{1,64}$/,
    anthropic: /^[A-Za-z0-9_-]{1,128}$/,
    gemini: /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/,
    bedrock: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    mistral: /^[A-Za-z0-9_-]{1,64}$/,
    ollama: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    'ai-sdk': /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    mcp: /^[A-Za-z0-9_.-]{1,128}$/,
  };

  it.each(Object.entries(patterns))('offers %s only names that it takes', (name, pattern) => {
    const tools = ['7zip', '_private', 'a.b', 'a/b', `a.${'y'.repeat(126)}`, 'plain'].map((each) => toolNamed(each));
    const { report } = providers[name as ProviderName].definitions(tools);
    for (const { alias } of report) expect(alias).toMatch(pattern);
    expect(new Set(report.map(({ alias }) => alias)).size).toBe(tools.length);
  });
});
