// Runs commands and named steps: says what runs, how long it took, and on failure what to do.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { cpus } from "node:os";
import { root } from "./project.mjs";

/** A step that failed, and how to mend it. */
export class StepFailed extends Error {
  constructor(message, fix) {
    super(message);
    this.fix = fix;
  }
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/**
 * Milliseconds that the processor has worked for this command and for what it started, once that has ended; nothing where the system does
 * not say. On a machine that is busy with other things, this is what a change of speed is seen in. Most of what browsers do is missing:
 * their processes end without a parent that counts them.
 */
export function processorTime() {
  try {
    // The name of the program, which may hold blanks, is in brackets; times are in hundredths of a second.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1).split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
  } catch {
    return undefined;
  }
}

/** Milliseconds that all processors of the machine have worked, for whoever it was. */
export function machineTime() {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** Runs one named step; `fix` is the sentence that tells how to mend a failure of it. */
export async function step(name, fix, work) {
  const since = performance.now();
  console.log(`→ ${name}`);
  try {
    const result = await work();
    console.log(`  ${name}: ${seconds(since)}`);
    return result;
  } catch (error) {
    throw new StepFailed(`${name} failed after ${seconds(since)}: ${error.message}`, error.fix ?? fix);
  }
}

// Logs that no terminal shows are kept free of colour codes.
const plain = process.stdout.isTTY ? {} : { NO_COLOR: "1" };

/**
 * Runs a command with its output shown. With `onLine`, each line of its output is also given to that function. With `show`, all that it
 * prints goes there and not to the terminal. A command that prints nothing for `silenceMs` is ended: one test that waits for ever must not
 * cost the results of all others.
 */
export function run(command, args, { env, cwd = root, onLine, show, silent = false, silenceMs } = {}) {
  const name = [command, ...args].join(" ");
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...plain, ...env },
      stdio: silent
        ? "ignore"
        : ["ignore", onLine || show || silenceMs ? "pipe" : "inherit", show || silenceMs ? "pipe" : "inherit"],
      shell: needsShell(command),
      // A group of its own, so that what it started can be ended with it.
      detached: Boolean(silenceMs),
    });
    // Who ends this command ends what it started.
    const stop = () => (silenceMs ? process.kill(-child.pid, "SIGKILL") : child.kill());
    const interrupt = () => {
      stop();
      process.exit(130);
    };
    process.once("SIGTERM", stop);
    if (silenceMs) process.once("SIGINT", interrupt);

    const endsSilent = () => {
      reject(new Error(`${name} printed nothing for ${silenceMs / 60_000} minutes`));
      stop();
    };
    const silence = silenceMs && setTimeout(endsSilent, silenceMs);
    if (child.stdout)
      readLines(child.stdout, (line) => {
        silence?.refresh();
        // A whole line, so that nothing which is written to the other stream lands in the middle of it.
        if (show) show(`${line}\n`);
        else process.stdout.write(`${line}\n`);
        onLine?.(line);
      });
    child.stderr?.on("data", (text) => {
      silence?.refresh();
      if (show) show(text);
      else process.stderr.write(text);
    });
    child.on("error", (error) => reject(new Error(`${command} cannot be started (${error.code})`)));
    child.on("close", (code, signal) => {
      process.off("SIGTERM", stop).off("SIGINT", interrupt);
      clearTimeout(silence);
      if (code === 0) resolve();
      else reject(new Error(`${name} ended with ${signal ?? `code ${code}`}`));
    });
  });
}

function readLines(stream, onLine) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) onLine(line);
  });
  stream.on("end", () => rest && onLine(rest));
}

/** What a command prints, or undefined when it is missing or fails. */
export function output(command, args, options = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    shell: needsShell(command),
    ...options,
  });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

// npm is a batch file on Windows, which only a shell starts.
const needsShell = (command) => process.platform === "win32" && command === "npm";

/** Runs a program that an npm package brings, without npx. */
export const runTool = (script, args, options) => run(process.execPath, [`node_modules/${script}`, ...args], options);

/** The body of a command: a failed step ends it with a sentence instead of a stack. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.error(`\n✗ ${error.message}`);
    if (error.fix) console.error(`  ${error.fix}`);
    process.exitCode = 1;
  }
}

/** True when the file is the one that was started, and not imported. */
export const isMain = (meta) => process.argv[1] !== undefined && meta.filename === realpathSync(process.argv[1]);
