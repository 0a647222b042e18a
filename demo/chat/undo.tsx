// Takes the last action back, where there is one that can be, and says what came of it.
import { useGlove } from "glove-wasm/react";
import { useState } from "react";
import { Icon } from "./icons.js";

export function Undo() {
  const busy = useGlove((state) => state.busy);
  const undo = useGlove((state) => state.undo);
  const next = useGlove(({ undoable: [call], timeline }) =>
    timeline.findLast((entry) => entry.kind === "tool" && entry.id === call?.toolCallId),
  );
  const [note, setNote] = useState("");
  const press = async () => {
    await undo();
    setNote("Undone");
    setTimeout(() => setNote(""), 2500);
  };
  const title = next?.kind === "tool" ? next.title : undefined;
  return (
    <>
      <span role="status" className="quiet">
        {note}
      </span>
      {/* What goes wrong is shown in the conversation. */}
      {next && (
        <button type="button" disabled={busy} title={title && `Undo: ${title}`} onClick={() => press().catch(() => {})}>
          <Icon name="undo" />
          <span>Undo</span>
        </button>
      )}
    </>
  );
}
