// `info`: tells something; nobody waits for an answer.
import type { ReactNode } from "react";
import { useLabels } from "../render/labels.js";
import { Name } from "../text/visible.js";
import { type SlotProps, text } from "./props.js";

export function Info({ data, resolve, status }: SlotProps): ReactNode {
  const say = useLabels();
  if (status !== "pending") return null;
  const title = text(data, "title");
  const type = text(data, "type") ?? "info";
  return (
    <div role={type === "error" ? "alert" : "status"} data-glove-info={type}>
      {title !== undefined && (
        <strong>
          <Name of={title} />
        </strong>
      )}
      <p>
        <Name of={text(data, "message") ?? ""} lines />
      </p>
      <div data-glove-actions="">
        <button type="button" onClick={() => resolve()}>
          {say("OK")}
        </button>
      </div>
    </div>
  );
}
