// The files that sandboxed code reaches: those below its mounts.
import type { ToolFiles } from "../../src/tools/tool.js";
import { decodeUtf8 } from "../../src/values/utf8.js";
import { cleanPath } from "./options.js";

type Mounts = Readonly<Record<string, "read" | "write">>;

const mostWritten = 5_000_000;

/** Does what the code asks of files; what it throws the code reads. */
export async function fileWork(files: ToolFiles, mounts: Mounts, name: string, given: readonly unknown[]): Promise<unknown> {
  const asked = String(given[0]);
  const path = cleanPath(asked);
  const right = rightTo(path, mounts);
  if (!right || (name === "write" && right !== "write")) {
    const granted = Object.entries(mounts).map(([folder, right]) => `${folder} (${right})`);
    throw new Error(
      `"${asked.slice(0, 200)}" is not granted for ${name === "write" ? "writing" : "reading"}; granted: ${granted.join(", ")}`,
    );
  }
  if (name === "list") return (await files.list(path)).map((entry) => ({ path: entry.path, size: entry.size }));
  if (name === "write") {
    const content = String(given[1]);
    if (content.length > mostWritten) throw new Error(`at most ${mostWritten} letters are written at once`);
    await files.write(path, content);
    return null;
  }
  const content = await files.read(path);
  if (!content) throw new Error(`"${path}" does not exist`);
  return decodeUtf8(content);
}

/** That of the innermost mount. */
function rightTo(path: string, mounts: Mounts): "read" | "write" | undefined {
  const around = Object.keys(mounts).filter((folder) => path === folder || path.startsWith(`${folder}/`));
  const innermost = around.sort((a, b) => b.length - a.length)[0];
  return innermost === undefined ? undefined : mounts[innermost];
}
