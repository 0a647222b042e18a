#!/usr/bin/env node
// `npm create glove-wasm`: takes or asks the choices, writes the app, and says how to start it.
import { relative, resolve } from "node:path";
import { filesOf } from "./app.js";
import { Refused, settled } from "./choices.js";
import { flags, help } from "./flags.js";
import { refuseFull, write } from "./folder.js";
import { version } from "./generated.js";
import { commands } from "./package-manager.js";

async function main(args) {
  const given = flags(args);
  if (given.help) return console.log(help);
  if (given.version) return console.log(version);
  if (given.folder !== undefined) refuseFull(given.folder);
  const asks = !given.yes;
  if (asks && !process.stdin.isTTY) {
    throw new Refused("There is nobody to ask here. Name your choices and add --yes, which takes the defaults for the rest.");
  }
  const choices = settled(asks ? await (await import("./ask.js")).ask(given) : given);
  const folder = resolve(choices.folder);
  write(folder, filesOf(choices));
  console.log(nextSteps(folder, choices));
}

function nextSteps(folder, { key, provider }) {
  const { install, run } = commands(process.env.npm_config_user_agent);
  const path = relative(process.cwd(), folder);
  const steps = [
    ...(path ? [`cd ${/\s/.test(path) ? JSON.stringify(path) : path}`] : []),
    ...(key ? [`cp .env.example .env   # then write your key for ${provider.name} into it`] : []),
    install,
    `${run} dev`,
  ];
  return `\nYour app is in ${path || "this folder"}. Start it:\n\n${steps.map((step) => `  ${step}`).join("\n")}\n`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
