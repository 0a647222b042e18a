#!/usr/bin/env node
// The package's command: `npx glove-wasm doctor`, `add` and `registry`.
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { add, Refused } from "./add/add.mjs";
import { parts } from "./add/parts.mjs";
import { writeRegistry } from "./add/registry.mjs";
import { examine } from "./doctor/examine.mjs";

const help = `npx glove-wasm doctor [folder]   looks for what is wrong in an app (default: this folder)

  --url <address>   also asks this chat endpoint whether it is there; no model is called
  --offline         asks no provider for its list of models
  --json            prints the findings as JSON

It ends with 1 if something is wrong. It changes nothing, and never prints a key.

npx glove-wasm add <part> …       copies parts of a chat into the app in this folder, as source of its own:
${parts.map(({ name, what }) => `  ${name.padEnd(14)} ${what}`).join("\n")}

  --to <folder>     where to (default: src/components/glove, or components/glove)
  --overwrite       replaces files that you have changed; without it nothing is written then

npx glove-wasm registry <folder>  writes the same parts as files for \`npx shadcn add\`
`;

const options = Object.fromEntries(["json", "help", "offline", "overwrite"].map((name) => [name, { type: "boolean" }]));

function wrong(sentence) {
  console.error(sentence);
  process.exitCode = 2;
}

async function main(args) {
  const strings = { url: { type: "string" }, to: { type: "string" } };
  const { values, positionals } = parseArgs({ args, options: { ...options, ...strings }, allowPositionals: true });
  const [command, ...rest] = positionals;
  if (values.help || command === undefined) return console.log(help);
  const own = Object.hasOwn(takes, command) ? takes[command] : undefined;
  const misplaced = Object.keys(values).find((name) => own && !own.includes(name));
  if (misplaced) return wrong(`"${command}" takes no --${misplaced}.\n\n${help}`);
  if (command === "add" && rest.length) return added(add(process.cwd(), rest, values));
  if (command === "registry" && rest.length === 1) return console.log(`Written: ${writeRegistry(rest[0]).join(", ")}`);
  if (command === "doctor" && rest.length < 2) return doctor(rest[0] ?? process.cwd(), values);
  if (command === "add") return wrong(`Which part?\n\n${help}`);
  wrong(`There is no command "${positionals.join(" ")}".\n\n${help}`);
}

const takes = { doctor: ["json", "offline", "url"], add: ["to", "overwrite"], registry: [] };

function added({ folder, written, needsCss }) {
  console.log(written.length ? `Written to ${folder}: ${written.join(", ")}` : `All of it is in ${folder} already.`);
  if (needsCss)
    console.log(
      `The app has no Tailwind: import "glove.css" of that folder, and give the element around a part the class "glove-chat".`,
    );
}

async function doctor(folder, values) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return wrong(`${folder} is no folder.`);
  const findings = await examine(folder, { ...values, env: process.env, today: new Date(), fetch });
  const faults = findings.filter(({ level }) => level === "wrong").length;
  console.log(values.json ? JSON.stringify({ ok: faults === 0, findings }, null, 2) : told(findings, faults));
  if (faults) process.exitCode = 1;
}

function told(findings, faults) {
  const lines = findings.map(({ level, message, mend }) => `${level === "wrong" ? "✗" : "–"} ${message}\n  ${mend}`);
  const notes = findings.length - faults;
  const sum = faults ? `${faults} wrong` : "Nothing is wrong";
  return [...lines, `${sum}${notes ? `, ${notes} to look at` : ""}.`].join("\n");
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof Refused) {
    console.error(error.message);
    process.exitCode = 1;
  } else if (/^ERR_PARSE_ARGS/.test(error?.code)) wrong(`${error.message.split(". ")[0]}.\n\n${help}`);
  else throw error;
}
