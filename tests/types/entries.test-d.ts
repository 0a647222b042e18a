// The timeline of a page has what the core writes, and what the page adds to it.
import type { TimelineEntry } from "glove-wasm";
import { expectTypeOf } from "vitest";
import type { CoreEntry } from "../../js/src/wire/run-types.js";

type Keys<E, K> = E extends { readonly kind: K } ? keyof E : never;

// The title of a tool's call and how far it is, and nothing else.
expectTypeOf<CoreEntry>().toExtend<TimelineEntry>();
expectTypeOf<CoreEntry["kind"]>().toEqualTypeOf<TimelineEntry["kind"]>();
expectTypeOf<Exclude<Keys<TimelineEntry, "tool">, "title" | "progress">>().toEqualTypeOf<Keys<CoreEntry, "tool">>();
// The error of a request is an `Error` in a page, which `ShownEntry` says.
expectTypeOf<Keys<TimelineEntry, "user">>().toEqualTypeOf<Exclude<Keys<CoreEntry, "user">, "error">>();
expectTypeOf<Keys<TimelineEntry, "agent_text">>().toEqualTypeOf<Exclude<Keys<CoreEntry, "agent_text">, "error">>();
expectTypeOf<Keys<TimelineEntry, "compaction">>().toEqualTypeOf<Keys<CoreEntry, "compaction">>();
