// A server of the Model Context Protocol at another origin, in a real browser: its call waits for a person over a reload, and runs once.
import { createMcpHandler, inputRequired, inputResponse, McpServer } from "@modelcontextprotocol/server";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { openBrowser } from "../support/browser.js";
import { inPage, servePackage } from "../support/pages.js";
import { serve } from "../support/server.js";

/** Asks when, and books then. */
async function bookingServer(page: () => string) {
  const legs: string[] = [];
  const methods: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "booking", version: "1.0.0" });
    server.registerTool(
      "book",
      { description: "Books a table.", inputSchema: z.object({ seats: z.number() }) },
      ({ seats }, context) => {
        const given = inputResponse(context.mcpReq.inputResponses, "q");
        legs.push(String(context.mcpReq.requestState<string>() ?? "first"));
        if (given.kind === "elicit") return { content: [{ type: "text", text: `${seats} seats at ${given.content?.time}` }] };
        const requestedSchema = {
          type: "object" as const,
          properties: { time: { type: "string" as const } },
          required: ["time"],
        };
        return inputRequired({
          inputRequests: { q: inputRequired.elicit({ message: "When?", requestedSchema }) },
          requestState: "asked",
        });
      },
    );
    return server;
  });
  const site = await serve("/", {
    routes: {
      "/mcp": async (request) => {
        const cors = {
          "access-control-allow-origin": new URL(page()).origin,
          "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "",
          "access-control-expose-headers": "mcp-session-id",
        };
        if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
        methods.push(request.headers.get("mcp-method") ?? "");
        const response = await handler.fetch(request);
        return new Response(response.body, {
          status: response.status,
          headers: { ...Object.fromEntries(response.headers), ...cors },
        });
      },
    },
  });
  return { ...site, legs, methods };
}

test.each([false, true])("a call that asks goes on after a reload, and is sent once (worker: %s)", async (worker) => {
  let url = "";
  const server = await bookingServer(() => url);
  const model = createScriptedModel([{ toolCalls: [{ name: "tables__book", input: { seats: 2 }, id: "c1" }] }, "Booked."]);
  const site = await servePackage({}, { "/api/chat": createChatHandler({ createModel: () => model }) });
  url = site.url;
  const talk = `
    const { mcpServer } = await import("/pkg/mcp/index.js");
    const tables = mcpServer({ name: "tables", url: ${JSON.stringify(`${server.url}/mcp`)} });
    const session = new GloveClient({ endpoint: "/api/chat", systemPrompt: "", plugins: [tables], worker: ${worker} }).session("s");
  `;
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    const asked = await inPage<[string, string, string]>(
      page,
      `${talk} session.sendMessage("A table for two").catch(() => {});
       const { approvals } = await until(session, ({ approvals }) => approvals.length > 0);
       session.approve(approvals[0].id);
       const { slots } = await until(session, ({ slots }) => slots.some(({ renderer }) => renderer === "mcp_form"));
       return [approvals[0].reason, slots.find(({ renderer }) => renderer === "mcp_form").input.message, tables.status().protocol];`,
    );
    expect(asked).toEqual([
      expect.stringContaining('This is the first use of "book". The server "tables" describes it so:\nBooks a table.'),
      "When?",
      "2026-07-28",
    ]);
    expect(server.legs).toEqual(["first"]);
    await page.reload();
    const end = await inPage<string[]>(
      page,
      `${talk} await session.start();
       const { slots, approvals } = await until(session, ({ slots }) => slots.some(({ renderer }) => renderer === "mcp_form"));
       if (approvals.length > 0) throw new Error("asked again: " + JSON.stringify(approvals));
       session.resolveSlot(slots.find(({ renderer }) => renderer === "mcp_form").id, { action: "accept", content: { time: "noon" } });
       return texts(await until(session, ({ busy }) => !busy));`,
    );
    expect(end).toEqual(["user: A table for two", "tables__book: success 2 seats at noon", "agent_text: Booked."]);
    expect(server.legs).toEqual(["first", "asked"]);
  } finally {
    await browser.close();
    await site.close();
    await server.close();
  }
});
