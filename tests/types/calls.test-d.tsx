// Calls by the tools of a client: what `useGlove<typeof client>()` gives.
import { definePlugin, defineTool, GloveClient } from "glove-wasm";
import {
  type ClientToolEntry,
  GloveProvider,
  type GloveState,
  Render,
  ToolCard,
  type ToolEntries,
  type ToolEntry,
  type ToolPart,
  type ToolRenderers,
  type UIMessage,
  useGlove,
  useSuspenseGlove,
  useToolCall,
} from "glove-wasm/react";
import { serverTools } from "glove-wasm/remote";
import { createChatHandler } from "glove-wasm/server";
import type { ReactNode } from "react";
import { expectTypeOf } from "vitest";
import { z } from "zod";

const search = defineTool({
  name: "search",
  description: "",
  inputSchema: z.object({ query: z.string(), filters: z.object({ since: z.coerce.date() }).optional() }),
  do: () => ({ status: "success", data: 1, renderData: { hits: [{ title: "a", at: new Date() }] } }),
});
const pay = defineTool({ name: "pay", description: "", inputSchema: z.object({ amount: z.number() }), do: () => "paid" });
const client = new GloveClient({ endpoint: "/chat", tools: [search, pay] });
type Client = typeof client;

// Tools of a handler are no tools of the client: a type that has both names both.
type Both = GloveClient<readonly (typeof search | typeof pay)[]>;
export function PartsOfBoth(): ReactNode {
  const { messages } = useGlove<Both>();
  const untyped = useGlove();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-pay" && part.state === "output-available") expectTypeOf(part.input.amount).toEqualTypeOf<number>();
    if (part.type === "tool-search" && part.renderData)
      expectTypeOf(part.renderData.hits[0]?.title).toEqualTypeOf<string | undefined>();
    // @ts-expect-error neither has this name
    if (part.type === "tool-refund") return null;
  }
  // Without a type, any name compares, and what it has is unknown.
  for (const part of untyped.messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-refund" && "toolCallId" in part) expectTypeOf(part.input).toBeUnknown();
  }
  return null;
}

// `serverTools` with the type of the handler: the client's type has the tools of both.
const POST = createChatHandler({ provider: "anthropic", tools: [pay] });
const other = defineTool({ name: "other", description: "", inputSchema: z.object({ at: z.number() }), do: () => "done" });
const plain = definePlugin({ id: "plain", prepare() {} });
const mixed = new GloveClient({
  endpoint: "/chat",
  tools: [search],
  plugins: [plain, serverTools<typeof POST>("/chat"), serverTools<typeof other>("/other")],
});
const remote = new GloveClient({ endpoint: "/chat", plugins: [serverTools<typeof POST>("/chat")] });
const untypedServer = new GloveClient({ endpoint: "/chat", tools: [search], plugins: [serverTools("/chat")] });

export function PartsOfServer(): ReactNode {
  const both = useGlove<typeof mixed>();
  const fromRemote = useGlove<typeof remote>();
  const withoutType = useGlove<typeof untypedServer>();
  for (const part of both.messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-pay" && part.state === "output-available") expectTypeOf(part.input.amount).toEqualTypeOf<number>();
    if (part.type === "tool-other" && part.state === "output-available") expectTypeOf(part.input.at).toEqualTypeOf<number>();
    if (part.type === "tool-search" && part.state === "output-available") expectTypeOf(part.input.query).toEqualTypeOf<string>();
    // @ts-expect-error none has this name
    if (part.type === "tool-refund") return null;
  }
  for (const part of fromRemote.messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-pay" && part.state === "output-available") expectTypeOf(part.input.amount).toEqualTypeOf<number>();
    // @ts-expect-error the client has no tools of its own
    if (part.type === "tool-search") return null;
  }
  // Without a type of the handler, the client's type has the page's tools alone.
  for (const part of withoutType.messages.flatMap(({ parts }) => parts)) {
    // @ts-expect-error the page has no such tool
    if (part.type === "tool-pay") return null;
  }
  const any: GloveClient = mixed;
  return <GloveProvider client={any}>{null}</GloveProvider>;
}

export function Parts(): ReactNode {
  const glove = useGlove<Client>();
  expectTypeOf(useSuspenseGlove<Client>()).toEqualTypeOf(glove);
  for (const part of glove.messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-search") {
      expectTypeOf(part.renderData).toEqualTypeOf<{ hits: { title: string; at: string }[] } | undefined>();
      if (part.state === "output-available") expectTypeOf(part.input.query).toEqualTypeOf<string>();
      if (part.state === "output-available") expectTypeOf(part.input.filters?.since).toEqualTypeOf<string | undefined>();
      if (part.state === "input-streaming") expectTypeOf(part.input?.query).toEqualTypeOf<string | undefined>();
      if (part.state === "output-error") expectTypeOf(part.input).toBeUnknown();
    }
    // @ts-expect-error no tool of this client has this name
    if (part.type === "tool-serach") return null;
  }
  for (const call of glove.streamingCalls) {
    if (call.name === "pay") expectTypeOf(call.input?.amount).toEqualTypeOf<number | undefined>();
    // @ts-expect-error no tool of this client has this name
    if (call.name === "payy") return null;
  }
  for (const entry of glove.timeline) {
    if (entry.kind !== "tool") continue;
    expectTypeOf(entry.name).toEqualTypeOf<"search" | "pay">();
    if (entry.name === "search") expectTypeOf(entry.input.query).toEqualTypeOf<string>();
    // @ts-expect-error an amount is not what is searched for
    if (entry.name === "search") void entry.input.amount;
  }
  return (
    <Render
      glove={glove}
      renderToolStatus={({ entry }) => {
        expectTypeOf(entry).toEqualTypeOf<ClientToolEntry<Client>>();
        // @ts-expect-error no tool of this client has this name
        if (entry.name === "payy") return null;
        if (entry.name !== "pay") return <Card entry={entry} />;
        return (
          <ToolCard entry={entry}>
            {({ title, input }) => {
              expectTypeOf(input).toEqualTypeOf<{ amount: number }>();
              return title;
            }}
          </ToolCard>
        );
      }}
    />
  );
}

// Without a client, a call is that of any tool.
export function Untyped(): ReactNode {
  const glove = useGlove();
  return (
    <Render
      glove={glove}
      renderToolStatus={({ entry }) => {
        expectTypeOf(entry.name).toEqualTypeOf<string>();
        expectTypeOf(entry.input).toBeUnknown();
        return <ToolCard entry={entry}>{({ input }) => String(input)}</ToolCard>;
      }}
    />
  );
}

// Renderers by name: each gets the calls of its tool.
const cards: ToolRenderers<Client> = {
  search: ({ entry }) => entry.renderData?.hits.map(({ title }) => title),
  // @ts-expect-error an amount is a number
  pay: ({ entry }) => entry.input.amount.trim(),
};
export const misspelt: ToolRenderers<Client> = {
  // @ts-expect-error no tool of this client has this name
  payy: () => null,
};
export const untyped: ToolRenderers<GloveClient> = { any: ({ entry }) => entry.name };
expectTypeOf<ToolEntries<Client>["pay"]["input"]>().toEqualTypeOf<{ amount: number }>();

const draw = <Name extends keyof ToolEntries<Client>>(name: Name, entry: ToolEntries<Client>[Name]): ReactNode =>
  cards[name]?.({ entry });

export function ByName(): ReactNode {
  const glove = useGlove<Client>();
  return <Render glove={glove} renderToolStatus={({ entry }) => draw(entry.name, entry) ?? <ToolCard entry={entry} />} />;
}

function Card({ entry }: { entry: ClientToolEntry<Client> }): ReactNode {
  return entry.name === "pay" ? entry.input.amount : entry.input.query;
}

export function Selected(): ReactNode {
  const messages = useGlove((state: GloveState<Client>) => state.messages);
  expectTypeOf(messages).toEqualTypeOf<UIMessage<Client>[]>();
  const call = useToolCall<Client>("c");
  if (call?.name === "pay") expectTypeOf(call.input.amount).toEqualTypeOf<number>();
  return null;
}

// Without a client, and with tools that nothing is known of, calls are what they were.
expectTypeOf<ToolPart["type"]>().toEqualTypeOf<`tool-${string}`>();
expectTypeOf<ToolPart["input"]>().toBeUnknown();
const raw = new GloveClient({
  endpoint: "/chat",
  tools: [{ name: "raw", description: "", jsonSchema: {}, do: (input) => input }],
});
expectTypeOf<ClientToolEntry<typeof raw>>().toEqualTypeOf<ToolEntry>();
expectTypeOf<ClientToolEntry<GloveClient>>().toEqualTypeOf<ToolEntry>();
// A client of some tools is a client.
const any: GloveClient = client;
void any;
