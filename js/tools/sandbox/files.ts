// The files that sandboxed code reaches: those below its mounts.
import type { ToolAttachments, ToolFiles } from "../../src/ports/tool.js";
import { decodeUtf8 } from "../../src/values/utf8.js";
import { cleanPath } from "./options.js";

type Mounts = Readonly<Record<string, "read" | "write">>;

const maxWritten = 5_000_000;

/** Does what the code asks of files; what it throws the code reads. */
export async function fileWork(files: ToolFiles, mounts: Mounts, name: string, args: readonly unknown[]): Promise<unknown> {
  const rawPath = String(args[0]);
  const path = cleanPath(rawPath);
  const mount = mountOf(path, mounts);
  const right = mount === undefined ? undefined : mounts[mount];
  // A folder that is granted is none to write a file in the place of.
  if (!right || (name === "write" && (right !== "write" || path === mount))) {
    const granted = Object.entries(mounts).map(([folder, right]) => `${folder} (${right})`);
    throw new Error(
      `"${rawPath.slice(0, 200)}" is not granted for ${name === "write" ? "writing" : "reading"}; granted: ${granted.join(", ")}`,
    );
  }
  if (name === "list") return (await files.list(path)).map((entry) => ({ path: entry.path, size: entry.size }));
  if (name === "write") {
    const content = String(args[1]);
    if (content.length > maxWritten) throw new Error(`at most ${maxWritten} letters are written at once`);
    await files.write(path, content);
    return null;
  }
  const content = await files.read(path);
  if (!content) throw new Error(`"${path}" does not exist`);
  return decodeUtf8(content);
}

const folder = "attachments";

/** A mount that a conversation has. */
export const isOfChat = (mount: string): boolean => mount === folder;

/** The files of a conversation as a folder, which nobody writes to. */
export function mountedAttachments(attachments: ToolAttachments): ToolFiles {
  return {
    list: async () => (await attachments.list()).map(({ id, size }) => ({ path: `${folder}/${id}`, size })),
    read: async (path) => (await attachments.read(path.slice(folder.length + 1))).bytes(),
    write: async (path) => {
      throw new Error(`"${path}" is not granted for writing`);
    },
  };
}

/** The innermost one. */
function mountOf(path: string, mounts: Mounts): string | undefined {
  const around = Object.keys(mounts).filter((folder) => path === folder || path.startsWith(`${folder}/`));
  return around.sort((a, b) => b.length - a.length)[0];
}
