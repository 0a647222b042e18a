// What the handler of tasks answers, request by request: the same table that the native server has to pass.
import { readFileSync } from "node:fs";
import { MemoryTaskWorkspace, TaskAgent } from "glove-wasm/tasks";
import { createTaskHandler } from "glove-wasm/tasks/server";
import { expect, test } from "vitest";
import { workingModel } from "../../support/tasks.js";

interface Asked {
  readonly ask: string;
  readonly user?: string;
  readonly accept?: string;
  readonly body?: unknown;
  readonly text?: string;
  /** A form of these parts, or what is none. */
  readonly form?: string | readonly { readonly name: string; readonly filename?: string; readonly content: string }[];
  readonly status: number;
  readonly code?: string;
  readonly heads?: Readonly<Record<string, string>>;
  /** Asked again until the answer has this. */
  readonly until?: object;
  /** What the answer has, and what it has not. */
  readonly answer?: object;
  readonly without?: readonly string[];
  /** The whole answer. */
  readonly gives?: string;
  /** Of a list of files. */
  readonly has?: readonly string[];
  readonly hasnot?: readonly string[];
  /** How events begin and end. */
  readonly ids?: readonly string[];
  readonly last?: object;
  /** The event of this type. */
  readonly event?: { readonly type: string };
  /** Keeps the id of the answer under this name. */
  readonly save?: string;
  readonly save_token?: string;
}

/** A form as browsers write it. */
function formOf(form: NonNullable<Asked["form"]>): string {
  if (typeof form === "string") return form;
  const parts = form.map(({ name, filename, content }) => {
    const file = filename === undefined ? "" : `; filename="${filename}"`;
    return `--edge\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  });
  return `${parts.join("")}--edge--\r\n`;
}

const table = JSON.parse(readFileSync(new URL("../../fixtures/tasks/http.json", import.meta.url), "utf8")) as readonly Asked[];

test("each request is answered as the table says", async () => {
  const workspaces = new Map<string, MemoryTaskWorkspace>();
  const agent = new TaskAgent({ createModel: workingModel, pollMs: 5, approvals: { require_plan: true } });
  const handler = createTaskHandler({
    agent,
    workspace: (id, owner) => {
      const key = `${owner}/${id}`;
      const workspace = workspaces.get(key) ?? new MemoryTaskWorkspace();
      workspaces.set(key, workspace);
      return workspace;
    },
    owner: (request) => request.headers.get("x-user") ?? "",
    list: (owner) =>
      [...workspaces.keys()]
        .filter((key) => key.startsWith(`${owner}/`))
        .map((key) => key.slice(owner.length + 1))
        .reverse(),
    pollMs: 5,
  });
  const saved: Record<string, string> = {};
  const filled = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replace(/\{(\w+)\}/g, (given, name: string) => saved[name] ?? given)) as T;
  const ask = async ({ ask, user = "ada", accept, body, text, form }: Asked) => {
    const [method = "", path = ""] = filled(ask).split(" ");
    const sent = form ? formOf(form) : (text ?? (body === undefined ? undefined : JSON.stringify(filled(body))));
    const headers = {
      "x-user": user,
      ...(accept && { accept }),
      ...(sent !== undefined && { "content-type": form ? "multipart/form-data; boundary=edge" : "application/json" }),
    };
    const response = await handler(
      new Request(`http://server${path}`, { method, headers, ...(sent !== undefined && { body: sent }) }),
    );
    return { response, text: await response.text() };
  };
  for (const asked of table) {
    const at = `${asked.ask} ${JSON.stringify(asked.body)?.slice(0, 80)}`;
    let { response, text } = await ask(asked);
    for (let tries = 0; asked.until && tries < 2_000; tries++) {
      if (has(JSON.parse(text), filled(asked.until))) break;
      await new Promise((go) => setTimeout(go, 5));
      ({ response, text } = await ask(asked));
    }
    expect(response.status, `${at}: ${text}`).toBe(asked.status);
    for (const [name, value] of Object.entries(asked.heads ?? {})) expect(response.headers.get(name), at).toBe(value);
    if (asked.code) expect(JSON.parse(text).error, at).toMatchObject({ code: asked.code, message: expect.any(String) });
    if (asked.until) expect(JSON.parse(text), at).toMatchObject(filled(asked.until));
    if (asked.answer) expect(JSON.parse(text), at).toMatchObject(filled(asked.answer));
    for (const name of asked.without ?? []) expect(JSON.parse(text), at).not.toHaveProperty(name);
    if (asked.gives !== undefined) expect(text, at).toBe(asked.gives);
    if (asked.has) expect(pathsOf(text), at).toEqual(expect.arrayContaining([...asked.has]));
    if (asked.hasnot)
      expect(
        pathsOf(text).filter((path) => asked.hasnot?.includes(path)),
        at,
      ).toEqual([]);
    const events = asked.ids || asked.last ? eventsOf(text) : [];
    if (asked.ids)
      expect(
        events.slice(0, asked.ids.length).map(({ id }) => id),
        at,
      ).toEqual(asked.ids);
    if (asked.event)
      expect(
        eventsOf(text).find(({ type }) => type === asked.event?.type),
        at,
      ).toMatchObject(asked.event);
    if (asked.last) expect(events.at(-1), at).toMatchObject(asked.last);
    if (asked.save) saved[asked.save] = JSON.parse(text).id;
    if (asked.save_token) {
      const { id, task_id, stream_token } = JSON.parse(text);
      expect(task_id, at).toBe(id);
      saved[asked.save_token] = stream_token;
    }
  }
  // Of what was refused nothing is left.
  const kept = await Promise.all([...workspaces.values()].map(async (one) => (await one.list("task")).length));
  expect(kept.filter((count) => count > 0).length).toBe(1);
});

const has = (value: object, wanted: object) =>
  Object.entries(wanted).every(([name, part]) => (value as Record<string, unknown>)[name] === part);

const pathsOf = (text: string) => (JSON.parse(text) as { files: { path: string }[] }).files.map(({ path }) => path);

function eventsOf(text: string): { id: string; type: string }[] {
  const lines = text.split("\n").map((line) => line.replace(/^data: /, ""));
  return lines.filter((line) => line.startsWith('{"')).map((line) => JSON.parse(line));
}
