// Messages that are not with the core yet: their file is being read, or the session is being opened.
import { GloveClient, MemoryStore } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";

function session() {
  const asked: string[][] = [];
  const model = createScriptedModel(({ messages }) => {
    asked.push(messages.filter(({ sender }) => sender === "user").map(({ text }) => text));
    return "answer";
  });
  const client = new GloveClient({ createModel: () => model, systemPrompt: "", createStore: (id) => new MemoryStore(id) });
  return { session: client.session("s"), asked };
}

/** A file that says what is in it when it is told to. */
function slowFile() {
  const file = new File(["x"], "a.txt", { type: "text/plain" });
  let read = () => {};
  const when = new Promise<void>((resolve) => {
    read = resolve;
  });
  const bytes = file.arrayBuffer.bind(file);
  file.arrayBuffer = () => when.then(bytes);
  return { file, read };
}

test("a message that waits for its file is edited in its place, and never sent as it was", async () => {
  const { session: chat, asked } = session();
  await chat.start();
  const { file, read } = slowFile();
  const first = chat.sendMessage({ text: "Delete all", files: [file] });
  const second = chat.edit(chat.getSnapshot().queue[0]?.id ?? "", "Delete none");
  expect(await first).toEqual({ type: "aborted" });
  read();
  expect(await second).toMatchObject({ type: "completed" });
  expect(asked).toEqual([["Delete none"]]);
  // The file stays with the message.
  expect(chat.getSnapshot().timeline).toMatchObject([{ kind: "user", files: [{ name: "a.txt" }] }, { text: "answer" }]);
});

test("what is sent behind a message that waits for its file stands in the queue behind it", async () => {
  const { session: chat, asked } = session();
  await chat.start();
  const { file, read } = slowFile();
  const first = chat.sendMessage({ text: "first", files: [file] });
  const second = chat.sendMessage("second");
  expect(chat.getSnapshot().queue.map(({ text }) => text)).toEqual(["first", "second"]);
  read();
  await Promise.all([first, second]);
  expect(asked).toEqual([["first"], ["first", "second"]]);
});

test("what is taken back behind a message that is not given yet goes at once, and what is edited there is edited once", async () => {
  const { session: chat, asked } = session();
  await chat.start();
  const { file, read } = slowFile();
  const first = chat.sendMessage({ text: "first", files: [file] });
  const [second, third] = [chat.sendMessage("second"), chat.sendMessage("third")];
  const [, two, three] = chat.getSnapshot().queue;
  const edited = chat.edit(two?.id ?? "", "second!");
  expect(chat.cancelQueued(three?.id ?? "")).toBe(true);
  expect(await Promise.all([second, third])).toEqual([{ type: "aborted" }, { type: "aborted" }]);
  expect(chat.getSnapshot().queue.map(({ text }) => text)).toEqual(["first", "second!"]);
  read();
  await Promise.all([first, edited]);
  expect(asked.at(-1)).toEqual(["first", "second!"]);
});

test("no other branch is shown while a message is on its way to the one that is shown", async () => {
  const { session: chat, asked } = session();
  await chat.sendMessage("to Paris");
  const paris = chat.getSnapshot().timeline[0]?.id ?? "";
  await chat.edit(paris, "to Rome");
  const { file, read } = slowFile();
  const paid = chat.sendMessage({ text: "Pay", files: [file] });
  await expect(chat.switchBranch(paris)).rejects.toMatchObject({ code: "SESSION_BUSY" });
  read();
  await paid;
  expect(asked.at(-1)?.[0]).toBe("to Rome");
  await chat.switchBranch(paris);
});

test("why a message could not be sent stays when an earlier one is answered", async () => {
  const { session: chat } = session();
  const first = chat.sendMessage("first");
  const { file } = slowFile();
  file.arrayBuffer = () => Promise.reject(new Error("it was moved"));
  await expect(chat.sendMessage({ text: "second", files: [file] })).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
  await first;
  expect(chat.getSnapshot()).toMatchObject({ error: { code: "FILE_UNREADABLE" } });
});
