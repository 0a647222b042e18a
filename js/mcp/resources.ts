// What a server has to read: its resources, for the application and for the model.

import type { ToolConfig } from "../src/ports/tool.js";
import { codeOf, reasonOf } from "../src/values/error.js";
import type { Connection } from "./connection/connection.js";
import { allPages } from "./connection/pages.js";
import type { McpSettings } from "./options.js";
import { type Asked, signingIn } from "./tools/sign-in.js";
import type { McpResourceContent, McpResourceInfo } from "./types.js";

const text = (value: unknown, most = 1_000) => (typeof value === "string" ? value.slice(0, most) : "");

/** Its resources, and the templates of such. */
export async function listResources(connection: Connection, { limits }: McpSettings): Promise<readonly McpResourceInfo[]> {
  const resources = await allPages(async (cursor) => {
    const page = await connection.request((client) =>
      client.request({ method: "resources/list", params: cursor === undefined ? {} : { cursor } }),
    );
    return { items: page.resources, nextCursor: page.nextCursor };
  }, limits);
  const templates = await allPages(async (cursor) => {
    const page = await connection.request((client) =>
      client.request({ method: "resources/templates/list", params: cursor === undefined ? {} : { cursor } }),
    );
    return { items: page.resourceTemplates, nextCursor: page.nextCursor };
  }, limits);
  const infoOf = (uri: string, template: boolean, about: (typeof resources.items | typeof templates.items)[number]) => ({
    uri,
    name: text(about.name, 200),
    ...(about.title !== undefined && { title: text(about.title, 200) }),
    description: text(about.description),
    ...(about.mimeType !== undefined && { type: text(about.mimeType, 200) }),
    template,
  });
  return [
    ...resources.items.map((resource) => infoOf(resource.uri, false, resource)),
    ...templates.items.map((template) => infoOf(template.uriTemplate, true, template)),
  ];
}

export async function readResource(
  connection: Connection,
  uri: string,
  signal?: AbortSignal,
): Promise<readonly McpResourceContent[]> {
  const { contents } = await connection.request((client) =>
    client.readResource({ uri }, { cacheMode: "bypass", ...(signal && { signal }) }),
  );
  return contents.map((content) => ({
    uri: content.uri,
    ...(content.mimeType !== undefined && { type: content.mimeType }),
    ...("text" in content && { text: content.text }),
    ...("blob" in content && { base64: content.blob }),
  }));
}

interface SignedOut {
  readonly signedOut: string;
}

const isSignedOut = (result: object): result is SignedOut => "signedOut" in result;

/** Reads one for the model; without an address it tells which there are. */
export function resourceTool(
  connection: Connection,
  settings: McpSettings,
  signIn: Asked | undefined,
): ToolConfig<{ readonly uri?: string }> {
  return {
    name: `${settings.name}__read_resource`,
    description: `Reads a resource of the server "${settings.name}". Without \`uri\` it lists the resources that there are.`,
    title: "Read a resource",
    jsonSchema: { type: "object", properties: { uri: { type: "string" } } },
    requiresPermission: settings.approvals !== "hints",
    idempotent: true,
    async do({ uri }, display, _agent, signal) {
      const read = async () => {
        if (uri === undefined || uri === "") return (await listResources(connection, settings)).slice(0, 200);
        const contents = await readResource(connection, uri, signal);
        const resource = ({ uri, type, text, base64 }: McpResourceContent) => ({
          uri,
          ...(type !== undefined && { mimeType: type }),
          ...(text !== undefined && { text }),
          ...(base64 !== undefined && { blob: base64 }),
        });
        return { content: contents.map((content) => ({ type: "resource", resource: resource(content) })) };
      };
      const orSignedOut = () =>
        read().catch((error: unknown): SignedOut => {
          if (codeOf(error as Error) !== "MCP_SIGNED_OUT") throw error;
          return { signedOut: reasonOf(error) };
        });
      const result = await signingIn(display, signIn, (time) => display.step(`read${time}`, orSignedOut), isSignedOut);
      if (isSignedOut(result)) throw new Error(result.signedOut);
      return result;
    },
  };
}
