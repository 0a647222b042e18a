// A skill from files that the page has: a folder of the browser, or files that a person has picked.
import { GloveError } from "../../src/values/error.js";

/** The files of a skill by their paths: of a folder (`showDirectoryPicker()`, OPFS), or of an `<input webkitdirectory>`. */
export async function readSkill(from: FileSystemDirectoryHandle | Iterable<File>): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  if (from !== null && typeof from === "object" && Symbol.iterator in from) {
    for (const file of from) {
      // Behind the name of the folder itself.
      const path = (file.webkitRelativePath ?? "").split("/").slice(1).join("/") || file.name;
      if (!isHidden(path)) files[path] = skillText(path, await file.arrayBuffer());
    }
    return files;
  }
  if (typeof (from as unknown as { entries?: unknown })?.entries !== "function") {
    throw new GloveError("CONFIG_INVALID", "`readSkill` takes the handle of a folder, or files.");
  }
  await collect(from, "", files);
  return files;
}

async function collect(folder: FileSystemDirectoryHandle, above: string, files: Record<string, string>): Promise<void> {
  for await (const [name, entry] of (folder as unknown as { entries(): AsyncIterable<[string, FileSystemHandle]> }).entries()) {
    const path = above + name;
    if (isHidden(name)) continue;
    if (entry.kind === "directory") await collect(entry as FileSystemDirectoryHandle, `${path}/`, files);
    else files[path] = skillText(path, await (await (entry as FileSystemFileHandle).getFile()).arrayBuffer());
  }
}

/** Of an editor or a version control system: the core leaves it out, and it need not be read. */
export const isHidden = (path: string) => path.split("/").some((name) => name.startsWith(".") && name !== "." && name !== "..");

export function skillText(path: string, content: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new GloveError("TASK_SKILL_INVALID", `This is no skill: \`${path}\` is not UTF-8; its files are texts.`);
  }
}
