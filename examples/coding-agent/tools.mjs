// What the agent may do in a folder: look at it freely, and change it or run something after a person has agreed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { jsonSchema } from "glove-wasm";

const most = 20_000;

/** A tool whose arguments are texts of these names. */
const tool = (name, names, description, rest) => {
  const properties = Object.fromEntries(names.map((each) => [each, { type: "string" }]));
  return { name, description, inputSchema: jsonSchema({ type: "object", properties, required: names }), ...rest };
};

export async function codingTools(folder) {
  const root = await realpath(folder);

  /** The path of a file in the folder. Links that lead out of it and hidden files, such as keys in `.env`, are refused. */
  async function inside(path) {
    const full = resolve(root, path);
    const there = await lstat(full).catch(() => undefined);
    const real = there ? await realpath(full) : join(await realpath(dirname(full)), basename(full));
    // A way out of the folder begins with dots, too.
    if (/(^|\/)\./.test(relative(root, real))) {
      throw new Error(`${path} is hidden or outside of the folder, and not for the agent`);
    }
    return real;
  }

  async function replace(path, find, by) {
    const file = await inside(path);
    const parts = (await readFile(file, "utf8")).split(find);
    if (!find || parts.length !== 2) throw new Error(`the text must be in ${path} once, and is there ${parts.length - 1} times`);
    await writeFile(file, parts.join(by));
  }

  return [
    tool("list_files", ["folder"], "Lists a folder. The project is “.”; names of folders end with a slash.", {
      async do({ folder }) {
        const entries = await readdir(await inside(folder), { withFileTypes: true });
        const shown = entries.filter(({ name }) => !/^\.|^node_modules$/.test(name));
        return shown.map((each) => each.name + (each.isDirectory() ? "/" : ""));
      },
    }),
    tool("read_file", ["path"], `Reads a text file, up to ${most} letters.`, {
      do: async ({ path }) => (await readFile(await inside(path), "utf8")).slice(0, most),
    }),
    tool("write_file", ["path", "text"], "Writes a new file. It never replaces one.", {
      requireApproval: true,
      do: async ({ path, text }) => writeFile(await inside(path), text, { flag: "wx" }),
    }),
    tool("edit_file", ["path", "find", "replace"], "Replaces a piece of a text file. It must be in it exactly once.", {
      requireApproval: true,
      do: (input) => replace(input.path, input.find, input.replace),
      undo: (input) => replace(input.path, input.replace, input.find),
    }),
    tool("run", ["command"], "Runs a command of the shell for at most two minutes. Gives the end of what it printed.", {
      requireApproval: true,
      async do({ command }, _display, _agent, signal) {
        const { ANTHROPIC_API_KEY: _key, ...env } = process.env;
        // A group of its own, so that what the command starts ends with it.
        const child = spawn("sh", ["-c", command], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
        const stop = () => process.kill(-child.pid, "SIGKILL");
        const stops = AbortSignal.any([signal, AbortSignal.timeout(120_000)]);
        stops.addEventListener("abort", stop);
        let printed = "";
        for (const out of [child.stdout, child.stderr]) out.on("data", (bytes) => (printed = (printed + bytes).slice(-most)));
        const [code, killed] = await once(child, "close");
        stops.removeEventListener("abort", stop);
        return { ended: killed ?? code, printed };
      },
    }),
  ];
}
