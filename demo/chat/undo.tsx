// Takes the last action back, where there is one that can be, and says what came of it.
import { useGlove } from "glove-wasm/react";
import { useState } from "react";

export function Undo() {
  const busy = useGlove((state) => state.busy);
  const undo = useGlove((state) => state.undo);
  const next = useGlove(({ undoable: [call], timeline }) =>
    timeline.findLast((entry) => entry.kind === "tool" && entry.id === call?.toolCallId),
  );
  const [note, setNote] = useState("");
  const press = async () => {
    await undo();
    setNote("Taken back");
    setTimeout(() => setNote(""), 2500);
  };
  const title = next?.kind === "tool" ? next.title : undefined;
  return (
    <div className="undo">
      <span role="status" className="quiet">
        {note}
      </span>
      {/* What goes wrong is shown in the conversation. */}
      <button
        type="button"
        disabled={busy || !next}
        title={title && `Take back: ${title}`}
        onClick={() => press().catch(() => {})}
      >
        Undo
      </button>
    </div>
  );
}
