import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bubblewrapArguments, mountable } from '../../../src/capabilities/process/bubblewrap.ts';

const limits = { cpuSeconds: 1, memoryBytes: 2, processes: 3, fileBytes: 4, outputBytes: 5 };

function argumentsFor(
  mounts: { path: string; writable: boolean }[],
  argv = ['/usr/bin/true'],
  inherited: number[] = [],
) {
  const handles = mountable(mounts).map((mount, at) => ({ ...mount, handle: 20 + at }));
  return bubblewrapArguments({
    mounts: handles,
    readable: ['/opt/node', '/space/a/tools'],
    cwd: '/work',
    env: { A: '1' },
    limits,
    argv,
    inherited,
  });
}

test('everything is unshared, nothing is inherited, and what runs comes last and as it is', () => {
  const args = argumentsFor([{ path: '/space/a', writable: true }], ['/usr/bin/echo', '--bind', '/', '/']);
  for (const option of ['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session']) {
    expect(args).toContain(option);
  }
  expect(args).toContain('--clearenv');
  expect(args).not.toContain('--share-net');
  expect(args.slice(args.indexOf('--'))).toEqual([
    '--',
    '/usr/bin/prlimit',
    '--core=0',
    '--cpu=1',
    '--as=2',
    '--nproc=3',
    '--fsize=4',
    '--',
    '/usr/bin/echo',
    '--bind',
    '/',
    '/',
  ]);
});

test('handles that this process inherited are closed for the program', () => {
  const args = argumentsFor([], ['/usr/bin/true', '$(x)'], [17, 250]);
  expect(args).toContain('exec 17>&- 250>&-; exec "$@"');
  expect(args.at(-1)).toBe('$(x)');
});

describe('what is mounted', () => {
  test.each([
    [[['/w/a', true]], ['--bind-fd 3 /w/a']],
    [[['/w/a', false]], ['--ro-bind-fd 3 /w/a']],
    [
      [
        ['/w/a', true],
        ['/w/b', false],
      ],
      ['--bind-fd 3 /w/a', '--ro-bind-fd 4 /w/b'],
    ],
    [
      [
        ['/w/a', true],
        ['/w/a/b', true],
      ],
      ['--bind-fd 3 /w/a'],
    ],
    // A part that may only be read cannot be kept apart, so that the whole may only be read.
    [
      [
        ['/w/a', true],
        ['/w/a/b', false],
      ],
      ['--ro-bind-fd 3 /w/a'],
    ],
    [
      [
        ['/w/a', true],
        ['/w/a', false],
      ],
      ['--ro-bind-fd 3 /w/a'],
    ],
    [
      [
        ['/w/a', true],
        ['/w/ab', true],
      ],
      ['--bind-fd 3 /w/a', '--bind-fd 4 /w/ab'],
    ],
  ] as [[string, boolean][], string[]][])('%j', (roots, expected) => {
    const args = argumentsFor(roots.map(([path, writable]) => ({ path, writable })));
    const mounted = args.flatMap((word, at) => (word.endsWith('-fd') ? [args.slice(at, at + 3).join(' ')] : []));
    expect(mounted).toEqual(expected);
  });

  test('no place that is mounted on lies in one that may be written', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
      .map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.array(fc.record({ path, writable: fc.boolean() }), { minLength: 1, maxLength: 5 }), (roots) => {
        const mounts = mountable(roots);
        for (const outer of mounts) {
          for (const inner of mounts)
            expect(inner !== outer && `${inner.path}/`.startsWith(`${outer.path}/`)).toBe(false);
        }
        for (const root of roots) {
          const holder = mounts.find((mount) => `${root.path}/`.startsWith(`${mount.path}/`));
          expect(holder).toBeDefined();
          if (!root.writable) expect(holder?.writable).toBe(false);
        }
      }),
    );
    const args = argumentsFor([{ path: '/space/a', writable: true }]);
    expect(args).toContain('/opt/node');
    expect(args).not.toContain('/space/a/tools');
  });
});
