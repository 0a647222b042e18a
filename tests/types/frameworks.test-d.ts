// The conversations of Vue, Svelte and Solid, typed by the tools of a client.
import { defineTool, GloveClient } from "glove-wasm";
import type * as solid from "glove-wasm/solid";
import * as svelte from "glove-wasm/svelte";
import * as vue from "glove-wasm/vue";
import { expectTypeOf } from "vitest";
import type { Ref } from "vue";
import { z } from "zod";

const refund = defineTool({
  name: "refund",
  description: "Pays money back.",
  inputSchema: z.object({ order: z.string() }),
  do: () => "paid",
});
export const client = new GloveClient({ endpoint: "/chat", systemPrompt: "", tools: [refund] });
type Client = typeof client;

// Parts are refs in Vue, and values elsewhere; actions are functions everywhere.
type InVue = vue.UseGloveReturn<Client>;
expectTypeOf<InVue["busy"]>().toEqualTypeOf<Readonly<Ref<boolean>>>();
expectTypeOf<svelte.UseGloveReturn["busy"]>().toEqualTypeOf<boolean>();
expectTypeOf<solid.UseGloveReturn["busy"]>().toEqualTypeOf<boolean>();
expectTypeOf<InVue["approve"]>().toEqualTypeOf<solid.UseGloveReturn["approve"]>();
expectTypeOf<vue.UseThreadsReturn["threads"]["value"]>().toEqualTypeOf<svelte.Threads["threads"]>();
expectTypeOf<InVue["timeline"]["value"]>().toEqualTypeOf<svelte.UseGloveReturn<Client>["timeline"]>();

// A call of the client's tool has its input.
type Call = Extract<solid.UseGloveReturn<Client>["timeline"][number], { kind: "tool" }>;
expectTypeOf<Call["input"]>().toEqualTypeOf<{ order: string }>();
expectTypeOf<Call["name"]>().toEqualTypeOf<"refund">();

// What React alone has is refused.
// @ts-expect-error: others draw slots in components of their own.
export const rendered = () => vue.useGlove({ client, renderers: {} });
// @ts-expect-error: a provider needs its client.
export const without = () => svelte.provideGlove({});
