// Run as a process of its own by inChild: one case of one group.
const [group, name, options] = process.argv.slice(2);
const { cases } = await import(group);
const report = await cases[name](JSON.parse(options));
// Some peers keep timers or sockets open; the report is out, so end all the same.
process.stdout.write(`\u001ereport ${JSON.stringify(report)}`, () => process.exit(0));
