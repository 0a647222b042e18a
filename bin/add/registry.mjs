// `glove-wasm registry`: the same parts as files that `npx shadcn add` reads, each with all that it needs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refused } from "./add.mjs";
import { parts, textOf } from "./parts.mjs";

const manifest = () => JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8"));

/** The text of each file, by its name. */
export function registry() {
  const { name, version, homepage = "https://www.npmjs.com/package/glove-wasm" } = manifest();
  const items = parts.map((part) => {
    const isWhole = part.name === "chat";
    const type = isWhole ? "registry:block" : "registry:component";
    const file = (file) => ({ path: `glove/${file}`, type: "registry:component", target: `components/glove/${file}` });
    return {
      name: `glove-${part.name}`,
      type,
      title: part.name,
      description: `Of a glove-wasm chat: ${part.what}.`,
      dependencies: [`${name}@^${version}`],
      files: part.files.map(file),
    };
  });
  const whole = (item, part) => ({
    $schema: "https://ui.shadcn.com/schema/registry-item.json",
    ...item,
    files: item.files.map((file, at) => ({ ...file, content: textOf(part.files[at]) })),
  });
  const list = { $schema: "https://ui.shadcn.com/schema/registry.json", name, homepage, items };
  return {
    "registry.json": list,
    ...Object.fromEntries(items.map((item, at) => [`${parts[at].name}.json`, whole(item, parts[at])])),
  };
}

/** Is it one that this has written before? */
function isOurs(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).name.startsWith("glove-");
  } catch {
    return false;
  }
}

/** Writes them into a folder, which a site can serve. A file of somebody else stays, and then nothing is written. */
export function writeRegistry(folder) {
  const files = Object.entries(registry());
  const foreign = files.map(([file]) => join(folder, file)).find((path) => existsSync(path) && !isOurs(path));
  if (foreign) throw new Refused(`Nothing was written: ${foreign} is there already. Choose another folder.`);
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of files) writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
  return files.map(([file]) => file);
}
