// The command line: its flags, and the help that lists them.
import { parseArgs } from "node:util";
import { defaults, models, parts, Refused, templates } from "./choices.js";

const list = (words) => Object.entries(words).map(([name, about]) => `      ${name.padEnd(12)} ${about}`);

export const help = `Makes an app with a chat of glove-wasm.

  npm create glove-wasm@latest [folder] -- [flags]

It asks for what is not named. The folder is new or empty (default: ${defaults.folder}).

  --template <name>     what it makes (default: ${defaults.template})
${list(templates).join("\n")}
  --provider <name>     who answers (default: ${defaults.provider}, which needs no key)
      ${wrapped(models.map(({ id }) => id))}
  --model <name>        a model of this provider (default: the provider's first; a local one needs a name)
  --base-url <address>  another server that speaks as this provider does, such as a gateway or vLLM
${Object.entries(parts)
  .map(([name, about]) => `  --${name}, --no-${name}`.padEnd(40) + about)
  .join("\n")}
  --yes                 asks nothing: defaults for what is not named
  --help, --version
`;

function wrapped(words) {
  return words.join(", ").replace(/(.{50,90}?) /g, "$1\n      ");
}

const switches = ["yes", "help", "version", ...Object.keys(parts)];
const options = {
  ...Object.fromEntries(["template", "provider", "model", "base-url"].map((name) => [name, { type: "string" }])),
  ...Object.fromEntries(switches.map((name) => [name, { type: "boolean" }])),
};

export function flags(args) {
  const { values, positionals } = parsed(args);
  if (positionals.length > 1) {
    throw new Refused(`One folder is made at a time, and these are ${positionals.length}: ${positionals.join(", ")}.`);
  }
  const [folder] = positionals;
  return folder === undefined ? values : { ...values, folder };
}

function parsed(args) {
  try {
    return parseArgs({ args, options, allowPositionals: true, allowNegative: true });
  } catch (error) {
    // The first sentence names the flag; those behind it are about parseArgs.
    throw new Refused(`${error.message.split(". ")[0]}. --help lists the flags.`);
  }
}
