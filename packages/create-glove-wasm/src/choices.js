// What can be chosen, and what a choice means.
import { basename, resolve } from "node:path";
import { providers } from "./generated.js";

/** A sentence for the person, in place of an app. */
export class Refused extends Error {}

export const templates = {
  vite: "A page with Vite and React",
  next: "A Next app",
  server: "A chat endpoint with tools, for pages that exist",
};

/** Parts of a page; a server has only approvals. */
export const parts = {
  threads: "A list of conversations",
  attachments: "Pictures and files in messages",
  approvals: "A tool that runs only when a person allows it",
};

export const partsOf = (template) => Object.keys(parts).filter((part) => template !== "server" || part === "approvals");

/** Plays a part without a key. */
export const scripted = { id: "scripted", name: "a scripted model", envVar: "", model: "" };
export const models = [scripted, ...providers];

export const defaults = { folder: "my-glove-app", template: "vite", provider: scripted.id };

/** Whether its models are those that somebody installed, so that one has to be named. */
export const isLocal = (provider) => provider !== scripted && provider.model === "";

/** A name that the source of an app can hold as it is. */
export const isModelName = (name) => /^[\w.:/@+-]+$/.test(name);

/** Whether it is an address that the source of an app can hold as it is. */
const isAddress = (text) => /^https?:\/\/[\w.:/@%~+-]+$/.test(text) && URL.canParse(text);

/** The choices with the defaults for what was left open; what does not fit together is refused. */
export function settled(given) {
  const template = oneOf("template", given.template ?? defaults.template, Object.keys(templates));
  const id = oneOf(
    "provider",
    given.provider ?? defaults.provider,
    models.map((model) => model.id),
  );
  const provider = models.find((model) => model.id === id);
  const known = partsOf(template);
  for (const part of Object.keys(parts)) {
    if (given[part] !== undefined && !known.includes(part)) {
      throw new Refused(`--${part} is about the page, and a server has none: leave it out.`);
    }
  }
  const { model } = given;
  if (model !== undefined && provider === scripted) {
    throw new Refused(`The scripted model has no --model: name a provider with --provider, or leave it out.`);
  }
  if (model !== undefined && !isModelName(model)) throw new Refused(`${JSON.stringify(model)} is not the name of a model.`);
  if (model === undefined && isLocal(provider)) {
    throw new Refused(`${provider.name} serves the models that you installed: name one, as in --model llama3.2.`);
  }
  const baseURL = given["base-url"];
  if (baseURL !== undefined && provider === scripted) {
    throw new Refused("The scripted model has no --base-url: name a provider with --provider, such as openai, or leave it out.");
  }
  if (baseURL !== undefined && !isAddress(baseURL)) {
    throw new Refused(`${JSON.stringify(baseURL)} is not an address: write it as https://models.example.com/v1.`);
  }
  const folder = given.folder ?? defaults.folder;
  const chosen = Object.fromEntries(known.map((part) => [part, given[part] ?? true]));
  return { folder, name: packageName(folder), template, provider, model, baseURL, key: provider.envVar !== "", ...chosen };
}

export function oneOf(what, word, words) {
  if (words.includes(word)) return word;
  throw new Refused(`There is no ${what} called ${JSON.stringify(word)}. Choose one of: ${words.join(", ")}.`);
}

/** The folder's name, as package.json takes it. */
function packageName(folder) {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "");
  return name || defaults.folder;
}
