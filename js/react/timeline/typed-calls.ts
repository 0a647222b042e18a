// The calls of a conversation, typed by the tools of its client.
import type { ToolConfig } from "../../src/ports/tool.js";
import type { Partly } from "../../src/schema/types.js";
import type { GloveClient } from "../../src/session/client.js";
import type { ShownEntry, StreamingCall, ToolEntry } from "../../src/snapshot/snapshot.js";

export type { Partly };

/** What is known of the calls of a tool. */
export interface CallTypes {
  readonly name: string;
  readonly input: unknown;
  readonly renderData: unknown;
}

/** The same of each tool of a client and of its plugins. Of one that `defineTool` did not make it is that it has a name. */
export type CallsOf<C> = C extends GloveClient<infer T, infer P> ? ToolCalls<T[number], AddedBy<P[number]>> : never;
type AddedBy<P> = P extends { readonly "~adds"?: infer A } ? (unknown extends A ? never : NonNullable<A>) : never;
/** Where only the tools of plugins are known, the client has no other ones. */
type ToolCalls<Own, Added> = [Added] extends [never]
  ? CallOf<Own>
  : CallOf<Added> | (ToolConfig extends Own ? never : CallOf<Own>);
type CallOf<Tool> = Tool extends { readonly "~calls"?: infer T } ? (unknown extends T ? CallTypes : NonNullable<T>) : CallTypes;

/** A call with this name, input and data for the screen. */
export interface TypedToolEntry<Name, Input, RenderData> extends Omit<ToolEntry, "name" | "input" | "renderData"> {
  readonly name: Name;
  /** As its tool gets it. Of a call that was refused for its arguments it is what the model wrote. */
  readonly input: Input;
  readonly renderData?: RenderData;
  readonly error?: Error;
}

/** A call with this name that a model is writing. */
export interface TypedStreamingCall<Name, Input> extends Omit<StreamingCall, "name" | "input"> {
  readonly name: Name;
  readonly input: Partly<Input> | undefined;
}

/** A call in the timeline of a client's conversations: `ClientToolEntry<typeof client>`. */
export type ClientToolEntry<C> = EntryOf<CallsOf<C>>;
type EntryOf<T> = T extends CallTypes
  ? string extends T["name"]
    ? ToolEntry
    : TypedToolEntry<T["name"], T["input"], T["renderData"]>
  : never;

/** The calls of a client's conversations by the name of their tool: `ToolEntries<typeof client>["search"]`. */
export type ToolEntries<C> = { readonly [Entry in ClientToolEntry<C> as Entry["name"]]: Entry };

/** An entry of the timeline of a client's conversations. */
export type ClientEntry<C> = GloveClient extends C ? ShownEntry : Exclude<ShownEntry, { kind: "tool" }> | ClientToolEntry<C>;

/** A call that a model is writing in a client's conversations. */
export type ClientStreamingCall<C> = CallingOf<CallsOf<C>>;
type CallingOf<T> = T extends CallTypes
  ? string extends T["name"]
    ? StreamingCall
    : TypedStreamingCall<T["name"], T["input"]>
  : never;
