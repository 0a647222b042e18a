// `glove-wasm add`: copies parts of a chat into an application, as source of its own. What is there and was changed is left alone.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { parts, styleSheet, textOf } from "./parts.mjs";

export class Refused extends Error {}

/** Does the application have Tailwind? Then the classes need no style sheet. */
function hasTailwind(app) {
  const file = join(app, "package.json");
  if (!existsSync(file)) throw new Refused(`${app} has no package.json. Run this in the folder of your app.`);
  let manifest;
  try {
    manifest = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Refused(`${file} is no JSON.`);
  }
  return ["dependencies", "devDependencies"].some((kind) => Object.hasOwn(manifest?.[kind] ?? {}, "tailwindcss"));
}

function inApp(app, to) {
  const folder = resolve(app, to ?? (existsSync(join(app, "src")) ? "src/components/glove" : "components/glove"));
  const way = relative(app, folder);
  if (way.startsWith("..") || isAbsolute(way)) throw new Refused(`${folder} is not in ${app}.`);
  return folder;
}

/**
 * Writes all files of the parts, or none: where one is there with another text, it is refused unless `overwrite` says so. Gives the folder, and
 * which files were written and which were there.
 */
export function add(app, names, { to, overwrite = false } = {}) {
  const chosen = names.map((name) => {
    const part = parts.find((one) => one.name === name);
    if (!part) throw new Refused(`There is no part "${name}". There are ${parts.map((one) => one.name).join(", ")}.`);
    return part;
  });
  const css = hasTailwind(app) ? [] : [styleSheet];
  const folder = inApp(app, to);
  const files = [...new Set([...chosen.flatMap((part) => part.files), ...css])].map((file) => {
    const path = join(folder, file);
    const there = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    return { file, path, there, text: textOf(file) };
  });
  const changed = files.filter(({ there, text }) => there !== undefined && there !== text);
  if (changed.length && !overwrite) {
    const list = changed.map(({ path }) => relative(app, path)).join(", ");
    throw new Refused(`Nothing was written: ${list} would be replaced. Take --overwrite if that is what you want.`);
  }
  const written = files.filter(({ there, text }) => there !== text);
  if (written.length) mkdirSync(folder, { recursive: true });
  // What came into being since then is not replaced either.
  for (const { path, there, text } of written) writeFileSync(path, text, { flag: there === undefined ? "wx" : "w" });
  return { folder: relative(app, folder), written: written.map(({ file }) => file), needsCss: css.length > 0 };
}
