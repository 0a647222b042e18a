// Takes the last action back, and says what came of it.
import { useGlove } from "glove-wasm/react";
import { useState } from "react";

export function Undo() {
  const busy = useGlove((state) => state.busy);
  const undo = useGlove((state) => state.undo);
  const [note, setNote] = useState("");
  const press = async () => {
    const outcome = await undo();
    const done = outcome.type === "undone" && outcome.steps > 0;
    setNote(done ? "Taken back" : "Nothing to take back");
    setTimeout(() => setNote(""), 2500);
  };
  return (
    <div className="undo">
      <span role="status" className="quiet">
        {note}
      </span>
      {/* What goes wrong is shown in the conversation. */}
      <button type="button" disabled={busy} onClick={() => press().catch(() => {})}>
        Undo
      </button>
    </div>
  );
}
