import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../examples/', import.meta.url));
const examples = readdirSync(folder).filter((name) => /^\d\d-.*\.ts$/.test(name));

describe('every example runs and holds what it asserts', () => {
  test('there are at least eight', () => {
    expect(examples.length).toBeGreaterThanOrEqual(8);
  });

  test.concurrent.each(examples)(
    '%s',
    async (name) => {
      // Rejects with the assertion that failed.
      await promisify(execFile)(process.execPath, ['--import', 'tsx', name], { cwd: folder, timeout: 60_000 });
    },
    60_000,
  );
});
