// What a tool showed beside its result: drawn by the application's renderer of its name, or as a file, a sentence, or the values of its data.
import { memo, type ReactNode, useSyncExternalStore } from "react";
import type { SideOutput } from "../../src/wire/record.js";
import { humanName } from "../parts/calls/tool-state.js";
import { Values } from "../parts/calls/values.js";
import { mountRenderer, type Renderer } from "../render/mount-renderer.js";
import { read, type SlotProps, text } from "../renderers/props.js";
import type { Drawing } from "../slots/drawing.js";
import { Name } from "../text/visible.js";
import { Coming } from "./coming.js";
import { FileCard } from "./file-card.js";

export interface OutputViewProps {
  readonly output: SideOutput;
  readonly registry: Drawing;
}

export const OutputView = memo(function OutputView({ output, registry }: OutputViewProps): ReactNode {
  const { type, widget = type, data, fallback } = output;
  const find = () => registry.output(widget);
  const renderer = useSyncExternalStore(registry.subscribe, find, find);
  // A record from elsewhere may have anything there.
  const isFile = type === "file" && (text(data, "url") ?? text(data, "data")) !== undefined;
  const ours: Renderer<SlotProps> = isFile
    ? () => (
        <FileCard
          name={text(data, "name") ?? ""}
          type={text(data, "type") ?? ""}
          size={Number(read(data, "size")) || 0}
          data={data}
        />
      )
    : () => <Plain name={widget} data={data} fallback={fallback} />;
  return (
    <div data-glove-output={type} data-glove-renderer={widget}>
      <Coming>
        {mountRenderer(
          renderer ?? ours,
          // Nobody waits for an answer.
          { data, status: "resolved", resolve: () => false, reject: () => {} },
          { name: widget, failed: registry.failed, of: output },
        )}
      </Coming>
    </div>
  );
});

/** Where nothing draws it. */
function Plain({ name, data, fallback }: { name: string; data: unknown; fallback: unknown }): ReactNode {
  if (typeof fallback === "string") return <p dir="auto">{fallback}</p>;
  return (
    <>
      <p>
        <Name of={humanName(name)} />
      </p>
      <Values of={data} />
    </>
  );
}
