// Sessions that run on `glove serve`, as a page has them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GloveClient, type GloveClientConfig, type GloveSession } from "glove-wasm";
import { createRemoteSession } from "glove-wasm/remote";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { buildGlove, type GloveServer, startGlove, token } from "../support/glove-server.js";
import { texts, until } from "../support/session.js";

let glove: GloveServer;
const clients: GloveClient[] = [];

beforeAll(async () => {
  buildGlove();
  glove = await startGlove();
}, 600_000);

afterEach(() => {
  for (const client of clients.splice(0)) client.dispose();
  glove.mend();
});

afterAll(() => glove?.close());

function client(config: Partial<GloveClientConfig> = {}, secret = token): GloveClient {
  const remote = createRemoteSession({
    url: `${glove.url}/api/sessions`,
    headers: () => ({ authorization: `Bearer ${secret}` }),
  });
  const made = new GloveClient({ ...remote, ...config });
  clients.push(made);
  return made;
}

const ran = (file: string) => {
  const path = join(glove.folder, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

test("a message is answered on the server, and another page sees the same", async () => {
  const session = client().session("greeting");
  const sent = await session.sendMessage("hello");
  expect(sent).toMatchObject({ type: "completed" });
  const snapshot = session.getSnapshot();
  expect(snapshot).toMatchObject({ busy: false, tab: "follower", sessionReady: true, error: undefined });
  expect(texts(snapshot)[0]).toBe("user: hello");
  expect(texts(snapshot)[1]).toContain("agent: I am a **script**");
  const other = client().session("greeting");
  await other.start();
  expect(texts(other.getSnapshot())).toEqual(texts(snapshot));
  expect((await other.messages()).map(({ sender }) => sender)).toEqual(["user", "agent"]);
  expect(await other.prompts()).toMatchObject([{ input: "hello", state: "completed" }]);
});

test("a tool runs on the server after it was allowed in the page", async () => {
  const told: string[] = [];
  const session = client({ subscribers: [{ record: (type) => void told.push(type) }] }).session("allowed");
  const sent = session.sendMessage("run echo once >> allowed.txt && cat allowed.txt");
  const { approvals } = await until(session, ({ approvals }) => approvals.length === 1);
  expect(approvals[0]).toMatchObject({ toolName: "bash" });
  expect(ran("allowed.txt")).toBe("");
  session.approve(approvals[0]?.id ?? "", { remember: false });
  expect(await sent).toMatchObject({ type: "completed" });
  expect(texts(session.getSnapshot())[1]).toMatch(/^bash: success/);
  expect(ran("allowed.txt")).toBe("once\n");
  expect(told).toContain("tool_use_result");
});

test("what a person rejects does not run", async () => {
  const session = client().session("rejected");
  const sent = session.sendMessage("run touch rejected.txt");
  const { approvals } = await until(session, ({ approvals }) => approvals.length === 1);
  session.reject(approvals[0]?.id ?? "", "not today");
  await sent;
  expect(texts(session.getSnapshot())[1]).toContain("has not granted permission");
  expect(ran("rejected.txt")).toBe("");
});

test("a question of a tool is answered in the page, and after a reload too", async () => {
  const first = client();
  const session = first.session("question");
  session.sendMessage("ask input").catch(() => {});
  await until(session, ({ slots }) => slots.length === 1);
  first.dispose();
  const reloaded = client().session("question");
  await reloaded.start();
  const { slots } = await until(reloaded, ({ slots }) => slots.length === 1);
  expect(slots[0]?.status).toBe("pending");
  expect(await reloaded.resolveSlot(slots[0]?.id ?? "", "Ada")).toBe(true);
  const { timeline } = await until(reloaded, ({ busy }) => !busy);
  expect(JSON.stringify(timeline)).toContain("Ada");
});

test("a run goes on while the network is lost, and the page catches up by the last event", async () => {
  const session = client().session("lost");
  const sent = session.sendMessage("run sleep 1; echo done >> lost.txt; cat lost.txt");
  const { approvals } = await until(session, ({ approvals }) => approvals.length === 1);
  session.approve(approvals[0]?.id ?? "", { remember: false });
  await until(session, ({ timeline }) => timeline.some((entry) => entry.kind === "tool" && entry.status === "running"));
  glove.cut();
  await expect.poll(() => ran("lost.txt"), { timeout: 20_000 }).toBe("done\n");
  glove.mend();
  expect(await sent).toMatchObject({ type: "completed" });
  expect(texts(session.getSnapshot())[2]).toContain("done");
  expect(ran("lost.txt")).toBe("done\n");
});

test("what is said without a network is said when there is one, once", async () => {
  const session = client().session("offline");
  await session.start();
  glove.cut();
  const sent = session.sendMessage("hello");
  await expect.poll(() => session.getSnapshot().error, { timeout: 20_000 }).toMatchObject({ code: "SERVER_UNREACHABLE" });
  glove.mend();
  expect(await sent).toMatchObject({ type: "completed" });
  expect(session.getSnapshot().error).toBeUndefined();
  expect((await session.messages()).filter(({ sender }) => sender === "user")).toHaveLength(1);
});

test("a server that dies in a call does not run it a second time without a word", async () => {
  const session = client().session("killed");
  session.sendMessage("run echo begun >> killed.txt; sleep 60").catch(() => {});
  const { approvals } = await until(session, ({ approvals }) => approvals.length === 1);
  session.approve(approvals[0]?.id ?? "", { remember: false });
  await expect.poll(() => ran("killed.txt"), { timeout: 20_000 }).toBe("begun\n");
  await glove.restart();
  const again = await until(session, ({ approvals }) => approvals.some(({ kind }) => kind === "interrupted"));
  expect(ran("killed.txt")).toBe("begun\n");
  session.reject(again.approvals[0]?.id ?? "");
  await until(session, ({ busy }) => !busy);
  expect(ran("killed.txt")).toBe("begun\n");
});

test("a run is stopped from the page", async () => {
  const session = client().session("stopped");
  const sent = session.sendMessage("ask confirm");
  await until(session, ({ slots }) => slots.length === 1);
  session.abort();
  expect(await sent).toEqual({ type: "aborted" });
  expect(session.getSnapshot()).toMatchObject({ busy: false, slots: [] });
});

test("two pages that answer the same question give one answer, and one of them is told so", async () => {
  const reported: string[] = [];
  const subscriber = {
    record: (type: string, data: unknown) => void (type === "error" && reported.push((data as { code: string }).code)),
  };
  const [one, other] = [client, client].map((make) => make({ subscribers: [subscriber] }).session("both")) as [
    GloveSession,
    GloveSession,
  ];
  await other.start();
  const sent = one.sendMessage("ask confirm");
  const { slots } = await until(one, ({ slots }) => slots.length === 1);
  await until(other, ({ slots }) => slots.length === 1);
  one.resolveSlot(slots[0]?.id ?? "", true);
  other.resolveSlot(slots[0]?.id ?? "", false);
  await sent;
  await expect.poll(() => reported, { timeout: 10_000 }).toEqual(["DISPLAY_REMOVED"]);
});

test("sessions are listed, renamed, exported, imported, forked and deleted", async () => {
  const own = client();
  const session = own.session("kept");
  await session.sendMessage("hello");
  await own.renameSession("kept", "A greeting");
  const find = async (id: string) => (await own.sessions()).find((info) => info.id === id);
  expect(await find("kept")).toMatchObject({ title: "A greeting", messageCount: 2, unfinished: false });
  const imported = await own.importSession(await own.exportSession("kept"), { id: "copy" });
  expect(await own.session(imported).messages()).toEqual(await session.messages());
  const forked = own.session(await session.fork((await session.messages())[0]?.id ?? ""));
  await forked.start();
  expect(texts(await until(forked, ({ timeline }) => timeline.length > 0))).toEqual(["user: hello"]);
  const watching = client().session("kept");
  await watching.start();
  await own.deleteSession("kept");
  expect(await find("kept")).toBeUndefined();
  await until(watching, ({ error }) => (error as { code?: string } | undefined)?.code === "SESSION_DELETED");
});

test("an answer is given again, and the one before stays on its branch", async () => {
  const session = client().session("again");
  await session.sendMessage("hello");
  expect(await session.regenerate()).toMatchObject({ type: "completed" });
  const { timeline } = session.getSnapshot();
  expect(timeline).toHaveLength(2);
  expect(timeline[1]?.branches?.ids).toHaveLength(2);
});

test("who may not use the server is told so, and nothing is tried again", async () => {
  const session = client({}, "another secret 0").session("foreign");
  await expect(session.sendMessage("hello")).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  expect(session.getSnapshot().error).toMatchObject({ code: "UNAUTHORIZED" });
});

test("a server that is not there is waited for, and the message is not lost", async () => {
  glove.cut();
  const session = client().session("absent");
  const sent = session.sendMessage("hello");
  await expect(sent).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" });
  expect(session.getSnapshot().queue).toMatchObject([{ text: "hello" }]);
  glove.mend();
  const { timeline } = await until(session, ({ timeline }) => timeline.length === 2);
  expect(timeline[0]).toMatchObject({ kind: "user", text: "hello" });
});
