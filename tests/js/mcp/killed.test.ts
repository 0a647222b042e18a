// A page that dies at each of its writes while a tool of a server asks twice: nothing is lost, and nothing is sent twice unasked.
import { inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { type GloveSession, MemoryStore, type StoredStep } from "glove-wasm";
import { createScriptedModel, type ScriptedCall } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { call, type Fill, mcpScene, mcpSite, mcpStore } from "../../support/mcp.js";
import { until } from "../../support/session.js";

const question = (message: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  });

/** Asks when, then who, and knows between them only what it had told the page. */
const booking =
  (legs: string[]): Fill =>
  (server) => {
    server.registerTool("book", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
      const state = mcpReq.requestState<string>();
      const given = inputResponse(mcpReq.inputResponses, "q");
      const text = given.kind === "elicit" ? String(given.content?.text) : undefined;
      legs.push(state ?? "");
      if (text === undefined) return inputRequired({ inputRequests: { q: question("When?") }, requestState: "at" });
      if (state === "at") return inputRequired({ inputRequests: { q: question("Who?") }, requestState: `who ${text}` });
      return { content: [{ type: "text", text: `booked at ${state?.slice(4)} for ${text}` }] };
    });
  };

/** Answers whatever is asked. Gives how often a crash was asked about. */
function answering(session: GloveSession): () => number {
  const seen = new Set<string>();
  let crashes = 0;
  const look = () => {
    const { slots, approvals } = session.getSnapshot();
    for (const { id, kind } of approvals) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (kind === "interrupted") crashes++;
      session.approve(id);
    }
    for (const { id, renderer, input } of slots) {
      if (renderer !== "mcp_form" || seen.has(id)) continue;
      seen.add(id);
      const text = JSON.stringify(input).includes("When?") ? "noon" : "Ann";
      session.resolveSlot(id, { action: "accept", content: { text } });
    }
  };
  session.subscribe(look);
  look();
  return () => crashes;
}

test("a call with two questions ends whole, whichever write the page dies at", async () => {
  let deaths = 0;
  let asked = 0;
  for (let at = 0; at < 60; at++) {
    const legs: string[] = [];
    const site = mcpSite(booking(legs));
    let left = at;
    class Dying extends MemoryStore {
      override appendStep(step: StoredStep): Promise<void> {
        return left-- > 0 ? super.appendStep(step) : new Promise(() => {});
      }
    }
    const store = new Dying("s1");
    const kept = mcpStore();
    const answer = ({ messages }: ScriptedCall) =>
      (messages.some(({ tool_results = [] }) => tool_results.length > 0) ? "Booked." : call("docs__book", {})) as string;
    const page = () =>
      mcpScene(
        [],
        { url: site.url, fetch: site.fetch, store: kept, approvals: () => false },
        { createStore: () => store, createModel: () => createScriptedModel(answer) },
      );
    const before = page();
    answering(before.session);
    const sent = before.session.sendMessage("Book").then(
      () => "ended",
      () => "closed",
    );
    await Promise.race([sent, until(before.session, () => left < 0)]);
    // What was being sent may still arrive.
    await new Promise((later) => setTimeout(later, 20));
    before.session.dispose();
    await before.server.disconnect();
    if (left >= 0) break;
    deaths++;
    left = Number.POSITIVE_INFINITY;
    const after = page();
    await after.session.start();
    const crashes = answering(after.session);
    await until(after.session, ({ busy }) => !busy);
    if (after.shown().length === 0) await after.session.sendMessage("Book");
    const where = `killed at write ${at}`;
    expect(after.shown(), where).toEqual(["user: Book", "docs__book: success booked at noon for Ann", "agent: Booked."]);
    asked += crashes();
    // Each request of the call once, and one of them twice where a person has said so.
    expect(legs.length, `${where}: ${legs}`).toBeLessThanOrEqual(3 + crashes());
    if (crashes() === 0) expect(legs, where).toEqual(["", "at", "who noon"]);
    await after.server.disconnect();
  }
  expect(deaths).toBeGreaterThan(10);
  expect(asked).toBeGreaterThan(0);
}, 120_000);
