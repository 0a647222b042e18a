// The conversation in a file: each step is one line, and is on the disk before the agent goes on.
import { appendFile, mkdir, readFile, stat, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { createRemoteStore, GloveError } from "glove-wasm";

export async function fileStore(id, path) {
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, "");
  const text = await readFile(path, "utf8");
  // A line without its end was being written when the program died. Nothing relies on it.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  let size = Buffer.byteLength(whole);
  await truncate(path, size);
  const run = { messages: [], records: [], seq: 0 };
  for (const line of whole.split("\n").filter(Boolean)) take(JSON.parse(line));

  function take({ messages, records, checkpoint, seq }) {
    run.messages.push(...messages);
    run.records = checkpoint === undefined ? [...run.records, ...records] : [];
    Object.assign(run, { seq, ...(checkpoint !== undefined && { checkpoint }) });
  }

  /** Whether a step goes on from the file, which nobody else has written to. */
  async function follows({ firstMessage: at = run.messages.length, records, seq }) {
    const next = run.seq + 1;
    return at === run.messages.length && (records[0]?.seq ?? next) === next && seq >= run.seq && (await stat(path)).size === size;
  }

  async function write(step) {
    if (!(await follows(step))) throw new GloveError("STORE_CONFLICT", "Another agent has written here. Start this one again.");
    const line = `${JSON.stringify(step)}\n`;
    await appendFile(path, line, { flush: true });
    size += Buffer.byteLength(line);
    take(step);
  }

  let last = Promise.resolve();
  const inTurn = (work) => (last = last.catch(() => {}).then(work));

  return createRemoteStore(id, {
    getMessages: async () => [...run.messages],
    readRun: async () => ({ ...run, messages: [...run.messages] }),
    appendStep: (_, step) => inTurn(() => write(step)),
    // Of programs that keep messages without a run, which this agent does not.
    appendMessages: (_, messages) => inTurn(() => write({ messages, records: [], seq: 0 })),
  });
}
