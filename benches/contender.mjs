// Runs one contender of a row in a process of its own, and prints what it measured: `node contender.mjs w2 ours`.
const [row, name] = process.argv.slice(2);
const { contenders } = await import(`./rows/${row}.mjs`);
const figures = await contenders[name]();
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
