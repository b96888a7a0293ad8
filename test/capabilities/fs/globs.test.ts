import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileModelGlob, compileRules } from '../../../src/capabilities/fs/globs.ts';

describe('deny globs', () => {
  it.each<[string, string, boolean]>([
    ['**/.env', '.env', true],
    ['**/.env', 'a/b/.env', true],
    ['**/.env', '.ENV', true],
    ['**/.env', '.env.', true],
    ['**/.env', '.env ', true],
    ['**/.env', '.env...', true],
    ['**/.env', '.env::$DATA', true],
    ['**/.env', '.\uff45nv', true],
    ['**/.env', '.e\u200bnv', true],
    ['**/.env', '.env/below', true],
    ['**/.env', '.envrc', false],
    ['**/.env', 'x.env', false],
    ['.kube/**', '.kube', true],
    ['.kube/**', '.\u212aube/config', true],
    ['cafe\u0301/**', 'caf\u00e9/x', true],
    ['caf\u00e9/**', 'cafe\u0301/x', true],
    ['stra\u00dfe/**', 'STRASSE/x', true],
    ['secrets', 'secrets/key.pem', true],
    ['secrets', 'a/secrets', false],
    ['**/.git/**', '.git', true],
    ['**/.git/**', 'a/.git/config', true],
    ['!important/**', '!important/x', true],
    ['!important/**', 'other', false],
    ['#notes', '#notes', true],
    ['*.{pem,key}', 'a.KEY', true],
    ['dir/*.pem', 'dir/.pem', true],
  ])('%s and %s', (deny, path, denied) => {
    expect(compileRules({ deny: [deny] })(path, 'read')).toBe(denied ? 'rule' : undefined);
  });
});

describe('allow globs', () => {
  it.each<[string, string, boolean]>([
    ['src/**', 'src', true],
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'src/.hidden', true],
    ['src/**', 'SRC/a', false],
    ['src/**', 'srcx/a', false],
    ['src/**', 'src./a', false],
    ['!src/**', 'other', false],
    ['**/*.md', 'a/b.md', true],
    ['**/*.md', 'a/b.MD', false],
  ])('%s and %s', (allow, path, allowed) => {
    expect(compileRules({ allow: [allow] })(path, 'read')).toBe(allowed ? undefined : 'rule');
  });

  it('are weaker than deny globs', () => {
    const judge = compileRules({ allow: ['src/**'], deny: ['src/private/**'] });
    expect(judge('src/a', 'read')).toBeUndefined();
    expect(judge('src/private/a', 'read')).toBe('rule');
  });

  it('allow nothing when the list is empty', () => {
    expect(compileRules({ allow: [] })('a', 'read')).toBe('rule');
  });
});

describe('protected files', () => {
  const judge = compileRules({});

  it.each([
    '.git/config',
    '.git/hooks/pre-commit',
    '.git/HOOKS/pre-commit',
    '.Git',
    '.git./hooks/x',
    'vendor/lib/.git/config',
    '.vscode/settings.json',
    '.mcp.json',
    'a/.bashrc',
    '.envrc',
    '.npmrc',
    '.github/workflows/x.yml',
    '.GITHUB/Workflows/x.yml',
    '.cursor/mcp.json',
    '.claude/settings.json',
    '.husky/pre-push',
    '.ssh/authorized_keys',
    'Jenkinsfile',
    'lib/sitecustomize.py',
    '.devcontainer/devcontainer.json',
    '.\uff47it/config',
    '.git::$INDEX_ALLOCATION/config',
  ])('%s may be read but not written', (path) => {
    expect(judge(path, 'write')).toBe('protected');
    expect(judge(path, 'read')).toBeUndefined();
  });

  it.each([
    '.gitignore',
    '.gitattributes',
    '.github/CODEOWNERS',
    'src/git/hooks/x',
    'package.json',
    'vscode/x',
    '.env',
    'x.mcp.json',
  ])('%s may be written', (path) => {
    expect(judge(path, 'write')).toBeUndefined();
  });

  it('may be written when the host lists them, exactly', () => {
    const opened = compileRules({ allowProtected: ['.github/workflows/**'] });
    expect(opened('.github/workflows/ci.yml', 'write')).toBeUndefined();
    expect(opened('.GITHUB/workflows/ci.yml', 'write')).toBe('protected');
    expect(opened('.git/config', 'write')).toBe('protected');
  });
});

describe('globs that could not do what they seem to say', () => {
  it.each(['', '/abs/**', './src/**', 'a/../b', 'src/', 'C:/x', '~/x', 'src\\x', '[[:upper:]]*'])(
    '%j is refused',
    (glob) => {
      expect(() => compileRules({ deny: [glob] })).toThrow(TypeError);
      expect(() => compileRules({ allow: [glob] })).toThrow(/glob/);
    },
  );

  it.each(['', 'a', {}, null, 7])('%j is no list of globs', (globs) => {
    expect(() => compileRules({ deny: globs as never })).toThrow(TypeError);
    expect(() => compileRules({ allow: globs as never })).toThrow(TypeError);
    expect(() => compileRules({ allowProtected: globs as never })).toThrow(TypeError);
  });

  it('too many are refused', () => {
    expect(() => compileRules({ deny: Array.from({ length: 1001 }, (_, at) => `a${at}`) })).toThrow(/1000/);
  });
});

describe("a model's glob", () => {
  it.each<[string, string, boolean]>([
    ['*.ts', 'a/b.ts', true],
    ['src/*.ts', 'src/b.ts', true],
    ['./src/*.ts', 'src/b.ts', true],
    ['src/*.ts', 'x/src/b.ts', false],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['**/[[...sign-in]]/*.tsx', 'app/[[...sign-in]]/page.tsx', true],
    ['[id].ts', '[id].ts', true],
    ['[id].ts', 'i.ts', true],
    ['!(a)', 'b', false],
    ['#x', '#x', true],
  ])('%s and %s', (glob, path, matches) => {
    expect(compileModelGlob(glob)?.(path)).toBe(matches);
  });

  it('is refused when it is long or has many groups', () => {
    expect(compileModelGlob('{a,b}'.repeat(14))).toBeUndefined();
    expect(compileModelGlob('a'.repeat(257))).toBeUndefined();
  });

  it('with a range of many takes no long time', () => {
    const begun = performance.now();
    compileModelGlob('{1..999999}{1..999999}*')?.('5');
    expect(performance.now() - begun).toBeLessThan(500);
  });

  it('takes no long time, whatever it is', () => {
    const part = fc.constantFrom(
      '*',
      '**',
      '/',
      'a',
      '?',
      '[a-z]',
      '{a,b}',
      '+(a|b)',
      '!(a)',
      '[[:alpha:]]',
      '[',
      '{',
      '(',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const begun = performance.now();
        compileModelGlob(parts.join(''))?.(`${'a/'.repeat(60)}b`);
        expect(performance.now() - begun).toBeLessThan(1000);
      }),
      { numRuns: 300 },
    );
  });
});
