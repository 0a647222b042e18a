// What `mcpServer` refuses before anything is connected, and what servers are told of us.
import { type McpServerOptions, mcpServer } from "glove-wasm/mcp";
import { expect, test } from "vitest";
import { clientInfo } from "../../../js/mcp/connection/client-info.js";
import { packageVersion } from "../../support/project.js";

const url = "https://docs.example/mcp";

test.each<[string, unknown, string]>([
  ["no name", { url }, "`name` must be a letter"],
  ["a name that is none", { name: "Docs", url }, "`name` must be a letter"],
  ["a name with two underscores", { name: "a__b", url }, "`name` must be a letter"],
  ["no way to it", { name: "docs" }, "needs one of `url`, `via` and `transport`"],
  ["two ways", { name: "docs", url, via: "/api/chat" }, "needs one of `url`, `via` and `transport`"],
  ["an address that is none", { name: "docs", url: "ftp://x" }, "`url` must be the address"],
  ["an unknown option", { name: "docs", url, header: {} }, "Did you mean `headers`?"],
  ["other approvals", { name: "docs", url, approvals: "never" }, '`approvals` must be "ask", "hints" or a function'],
  ["a limit that is none", { name: "docs", url, limits: { tools: -1 } }, "`limits.tools` must be"],
  ["an unknown limit", { name: "docs", url, limits: { tool: 1 } }, "Did you mean `tools`?"],
])("%s is refused", (_, options, message) => {
  const refused = { code: "MCP_CONFIG", message: expect.stringContaining(message) };
  expect(() => mcpServer(options as McpServerOptions)).toThrow(expect.objectContaining(refused));
});

test("nothing is connected until a session needs it", () => {
  expect(mcpServer({ name: "docs", url }).status()).toEqual({ state: "idle" });
});

test("servers are told the version of the package", () => {
  expect(clientInfo.version).toBe(packageVersion);
});
