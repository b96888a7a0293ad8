import { readdirSync, readFileSync } from 'node:fs';
import { line } from './support.mjs';

/** What every public name of the package exports; the program fails when an import warns of anything. */
export default async function* run() {
  const { exports, name } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  for (const [path, { default: file = '' }] of Object.entries(exports)) {
    if (!file.endsWith('.js')) continue;
    for (const member of file.includes('*') ? membersOf(file) : ['']) {
      const specifier = `${name}${path.slice(1).replace('*', member)}`;
      yield line(specifier, Object.keys(await import(specifier)));
    }
  }
}

/** What stands for the `*` in `./dist/middleware/*.js`. */
function membersOf(file) {
  const [folder] = file.split('*');
  return readdirSync(new URL(`../../${folder}`, import.meta.url))
    .filter((name) => name.endsWith('.js'))
    .map((name) => name.slice(0, -'.js'.length))
    .toSorted();
}
