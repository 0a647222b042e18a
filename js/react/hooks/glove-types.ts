// What React has of a conversation, as one object for each snapshot.
import type { ReactNode } from "react";
import type { ChatState } from "../../conversation/state.js";
import type { GloveClient } from "../../src/session/client.js";
import type { EnhancedSlot, ToolEntry } from "../../src/snapshot/snapshot.js";
import type { SideOutput } from "../../src/wire/record.js";

/** What `useGlove()` gives, and what selectors read. With a client its calls are those of the client's tools. */
export interface GloveState<C = GloveClient> extends ChatState<C> {
  renderSlot: (slot: EnhancedSlot) => ReactNode;
  renderToolResult: (entry: ToolEntry) => ReactNode;
  /** Draws one of an entry's `outputs`: a widget, a file, or a type of your own. */
  renderOutput: (output: SideOutput) => ReactNode;
}

/** What `useGlove()` returns: the state, the actions, and what `<Render>` needs (a `GloveHandle`). */
export type UseGloveReturn<C = GloveClient> = GloveState<C>;
