import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The folder of public test data, or `undefined` where it is missing. */
export const corpora: string | undefined = locate();

function locate(): string | undefined {
  const folder = resolve(process.env['CALLGATE_CORPORA'] ?? '../shared/corpora');
  return existsSync(folder) ? folder : undefined;
}

/** Why tests that read the corpora do not run. */
export const missing = 'the corpora are not here; set CALLGATE_CORPORA to their folder';

/** The rows of a JSON Lines file of the corpora. */
export function rows<Row>(file: string): Row[] {
  return readFileSync(resolve(corpora ?? '.', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}
