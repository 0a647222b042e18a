// A file that is locked as the program locks it, by the operating system, which lets go of it when the process dies. Node has no such call,
// so on Linux the program `flock` holds the lock as long as a pipe to this process is open; on macOS it comes with opening the file.
import { asError, GloveError } from "../../src/values/error.js";
import { nodeChildren, nodeFiles, nodeProcess } from "./node.js";

/** Of `open` on macOS: a lock for all, a lock for one, and an error where it cannot be had at once. */
const [shared, exclusive, atOnce] = [0x10, 0x20, 0x4];
/** What `flock` ends with where somebody has the lock. */
const taken = 1;
/** A process that only checks the lock holds it for a moment, so try again. */
const pauses = [0, 5, 20, 50];

/** Helpers that are about to end: what they hold is free in a moment. */
const leaving = new Set<Promise<void>>();

/** A function that lets go of it, or nothing while somebody else has it. */
export async function lockFile(path: string): Promise<(() => void) | undefined> {
  for (const pause of pauses) {
    await new Promise((go) => setTimeout(go, pause));
    const release = await tried(path, "exclusive");
    if (release) return release;
  }
  return undefined;
}

export async function isLocked(path: string): Promise<boolean> {
  const { access } = nodeFiles();
  if (
    !(await access(path).then(
      () => true,
      () => false,
    ))
  )
    return false;
  const release = await tried(path, "shared");
  release?.();
  return !release;
}

async function tried(path: string, how: "shared" | "exclusive"): Promise<(() => void) | undefined> {
  const { platform } = nodeProcess();
  if (platform === "linux") return byProgram(path, how);
  if (platform === "darwin") return byOpening(path, how);
  const message = `Workspaces in folders cannot be locked by Node on ${platform}: run the task with \`glove run\`, or keep it in a workspace of your own.`;
  throw new GloveError("TASK_WORKSPACE_FAILED", message);
}

async function byProgram(path: string, how: "shared" | "exclusive"): Promise<(() => void) | undefined> {
  await Promise.all(leaving);
  // It says that it has the lock, and keeps it until its input ends: when this process closes it, or dies.
  const holding = ["-n", how === "shared" ? "-s" : "-x", path, "sh", "-c", "echo held; exec cat >/dev/null"];
  const child = nodeChildren().spawn("flock", holding, { stdio: ["pipe", "pipe", "ignore"], detached: true });
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const release = () => {
    leaving.add(gone);
    void gone.then(() => leaving.delete(gone));
    child.stdin.end();
  };
  return new Promise((resolve, reject) => {
    child.stdout.once("data", () => {
      child.stdout.destroy();
      // It keeps no process alive.
      child.unref();
      child.stdin.unref?.();
      resolve(release);
    });
    child.once("error", (cause) => reject(withoutProgram(cause)));
    child.once("exit", (code) => (code === taken ? resolve(undefined) : reject(withoutProgram(`it ended with ${code}`))));
  });
}

const withoutProgram = (cause: unknown) => {
  const why = asError(cause).message;
  return new GloveError(
    "TASK_WORKSPACE_FAILED",
    `The program \`flock\` (util-linux), which locks the folder of a task, failed: ${why}.`,
    {
      cause,
    },
  );
};

async function byOpening(path: string, how: "shared" | "exclusive"): Promise<(() => void) | undefined> {
  const { constants, open } = nodeFiles();
  try {
    const flags = (constants.O_RDWR ?? 0) | (constants.O_CREAT ?? 0) | (how === "shared" ? shared : exclusive) | atOnce;
    const file = await open(path, flags, 0o666);
    return () => void file.close();
  } catch (error) {
    if (["EAGAIN", "EWOULDBLOCK"].includes((error as { readonly code?: string }).code ?? "")) return undefined;
    throw error;
  }
}
