// A skill in a folder of this machine, for Node.
import { GloveError, reasonOf } from "../../src/values/error.js";
import { check } from "../../src/values/validate-options.js";
import { isHidden, skillText } from "../skills/read.js";
import { nodeFiles } from "./node.js";

/** The files of a skill by their paths. Links are refused: what they lead to is none of its hash. */
export async function readSkillFolder(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  try {
    await collect(check("The folder", folder, "text"), "", files);
  } catch (cause) {
    if (cause instanceof GloveError) throw cause;
    throw new GloveError("TASK_SKILL_INVALID", `The skill in \`${folder}\` cannot be read: ${reasonOf(cause)}`, { cause });
  }
  return files;
}

async function collect(folder: string, above: string, files: Record<string, string>): Promise<void> {
  const { open, readdir } = nodeFiles();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const [at, path] = [`${folder}/${entry.name}`, above + entry.name];
    if (isHidden(entry.name)) continue;
    if (entry.isDirectory()) await collect(at, `${path}/`, files);
    else if (entry.isFile()) {
      const file = await open(at, "r");
      try {
        files[path] = skillText(path, await file.readFile());
      } finally {
        await file.close();
      }
    } else {
      throw new GloveError("TASK_SKILL_INVALID", `\`${path}\` is a link or no file: a skill is made of files.`);
    }
  }
}
