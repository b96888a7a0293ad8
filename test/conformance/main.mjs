// One part of the conformance program: `node main.mjs PART` prints one line of JSON for everything that came out. Two
// releases of Node.js conform when they print the same bytes.
import { Random } from './random.mjs';

process.on('unhandledRejection', (reason) => {
  console.error('An unhandled rejection:', reason);
  process.exitCode = 1;
});

const [part] = process.argv.slice(2);
const { default: run } = await import(`./${part}.mjs`);
let text = '';
for await (const line of run(new Random(20_261_130))) text += `${JSON.stringify(line)}\n`;
process.stdout.write(text);
