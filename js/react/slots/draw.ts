// What React draws of a conversation: its slots, the results of its tools, and their outputs.
import { createElement } from "react";
import type { Draws } from "../hooks/engine.js";
import { Loader } from "../look/loader.js";
import { RendererRegistry } from "../render/renderer-registry.js";
import { slotParts } from "./slot-loader.js";

const SlotView = /* @__PURE__ */ slotParts.component("SlotView");
const ResultView = /* @__PURE__ */ slotParts.component("ResultView");
const OutputView = /* @__PURE__ */ new Loader(() => import("../outputs/output-view.js")).component("OutputView");

/** What draws for an engine of React's. */
export function draws(failed: (error: unknown, name: string) => void): Draws {
  const registry = new RendererRegistry(failed);
  return {
    registry,
    load: slotParts.load,
    draw: ({ resolveSlot, rejectSlot }) => ({
      renderSlot: (slot) => createElement(SlotView, { key: slot.id, slot, registry, resolveSlot, rejectSlot }),
      renderToolResult: (entry) => {
        if (entry.renderData === undefined || !registry.result(entry.name)) return null;
        return createElement(ResultView, { key: entry.id, entry, registry });
      },
      renderOutput: (output) => createElement(OutputView, { output, registry }),
    }),
  };
}
