// The examples of tasks in a page, with their files in its private file system: the events that the native run gives.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inPage, servePackage, withProfile } from "../support/pages.js";
import type { Served } from "../support/server.js";
import { answerOf, examples, expectEvents } from "../support/task-examples.js";

let browser: Browser;
let server: Served;
beforeAll(async () => {
  [browser, server] = [await openBrowser(), await servePackage()];
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

interface Played {
  readonly reason: string;
  readonly events: readonly object[];
  readonly artifacts: Readonly<Record<string, string>>;
}

test.each(examples)("$name in a page", (example) =>
  withProfile(browser, server, async ({ open }) => {
    const page = await open();
    const { reason, events, artifacts } = await inPage<Played>(
      page,
      `const { TaskAgent, openTaskWorkspace } = await import(new URL("/pkg/tasks/index.js", document.baseURI));
       const example = ${JSON.stringify(example)};
       const answerOf = ${answerOf.toString()};
       const agent = new TaskAgent({
         id: "researcher", approvals: example.approvals, pollMs: 5,
         createModel: () => createScriptedModel(({ messages }) => answerOf(example, messages)),
       });
       const workspace = await openTaskWorkspace("task");
       for (const [path, text] of Object.entries(example.files)) await workspace.write(path, new TextEncoder().encode(text));
       const task = await agent.startTask(workspace, { id: "task", goal: example.goal });
       let result = await task.run({ leaveWhenWaiting: true });
       for (const { decision, reason } of example.decisions ?? []) {
         const [{ id }] = result.approvals;
         await (decision === "approved" ? task.approve(id, "ada") : task.deny(id, reason, "ada"));
         result = await task.run({ leaveWhenWaiting: true });
       }
       const artifacts = {};
       for (const { path } of await workspace.list("progress/artifacts")) {
         artifacts[path] = new TextDecoder().decode(await workspace.read(path));
       }
       const { events } = task.getSnapshot();
       await task.close();
       return { reason: result.finish_reason, events, artifacts };`,
    );
    expect(reason).toBe("completed");
    expectEvents(example, events, "task");
    expect(artifacts).toEqual(example.artifacts);
  }),
);
