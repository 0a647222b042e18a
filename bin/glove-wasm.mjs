#!/usr/bin/env node
// The package's command: `npx glove-wasm doctor`.
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { examine } from "./doctor/examine.mjs";

const help = `npx glove-wasm doctor [folder]   looks for what is wrong in an app (default: this folder)

  --url <address>   also asks this chat endpoint whether it is there; no model is called
  --offline         asks no provider for its list of models
  --json            prints the findings as JSON

It ends with 1 if something is wrong. It changes nothing, and never prints a key.
`;

const options = Object.fromEntries(["json", "help", "offline"].map((name) => [name, { type: "boolean" }]));

function wrong(sentence) {
  console.error(sentence);
  process.exitCode = 2;
}

async function main(args) {
  const { values, positionals } = parseArgs({ args, options: { ...options, url: { type: "string" } }, allowPositionals: true });
  const [command, folder = process.cwd(), ...more] = positionals;
  if (values.help || command === undefined) return console.log(help);
  if (command !== "doctor" || more.length) return wrong(`There is no command "${positionals.join(" ")}".\n\n${help}`);
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
  if (!/^ERR_PARSE_ARGS/.test(error?.code)) throw error;
  wrong(`${error.message.split(". ")[0]}.\n\n${help}`);
}
