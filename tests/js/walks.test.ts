// What runs in a page between a message and the request to its model, where one tab has the session.
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/project.js";
import { sharedSession } from "../support/shared-store.js";

/** One by one, as the compiler has written them: a file of the package has many. */
const modules = join(root, ".cache/modules/pkg/src/index.js");

const answer = '{"type":"done","message":{"sender":"agent","text":"Hello."},"tokens_in":1,"tokens_out":1}';

/** The files of `js/` that a function has run in since the last call. */
async function filesRun(inspector: Session): Promise<string[]> {
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const ran = result.filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName && ranges[0]?.count));
  return ran.flatMap(({ url }) => /\/pkg\/(src\/.*)\.js$/.exec(url)?.[1] ?? []).sort();
}

test("a request of the only tab goes to the core past what tabs tell each other", async () => {
  const { createEndpointModel, GloveClient }: typeof import("glove-wasm") = await import(modules);
  const inspector = new Session();
  inspector.connect();
  let fetched: string[] | undefined;
  const fetch = async () => {
    fetched ??= await filesRun(inspector);
    return new Response(`data: ${answer}\n\n`, { headers: { "content-type": "text/event-stream" } });
  };
  const client = new GloveClient({
    createModel: () => createEndpointModel("https://chat.test/api", { fetch }),
    createStore: sharedSession("walk"),
  });
  try {
    const session = client.session("walk");
    await session.start();
    expect(session.getSnapshot().tab).toBe("leader");
    await inspector.post("Profiler.enable");
    await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await filesRun(inspector);
    await expect(session.sendMessage("Hi")).resolves.toMatchObject({ type: "completed", text: "Hello." });
  } finally {
    client.dispose();
    inspector.disconnect();
  }
  if (process.env.WALK) console.log(fetched?.length, fetched?.join("\n"));
  expect(fetched).toContain("src/session/session");
  expect(fetched?.filter((file) => /^src\/tabs\/(command-sender|command-rules|protocol)$/.test(file))).toEqual([]);
});
