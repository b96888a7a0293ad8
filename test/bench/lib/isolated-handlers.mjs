// What runs in threads and processes of their own, for the bench.
export const add = ({ a, b }) => a + b;
export const loop = () => {
  for (;;);
};

if (process.argv[2] === 'forked') process.on('message', (args) => process.send(add(args)));
