// Ends the tab's process, after it has said what that is; and says what came back when the page is there again.
import { useGlove } from "glove-wasm/react";
import { useEffect, useId, useRef, useState } from "react";

const key = "demo-crashed";

export function Crash() {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [survived, setSurvived] = useState(false);
  const now = () => {
    localStorage.setItem(key, String(Date.now()));
    crash();
    localStorage.removeItem(key);
    setSurvived(true);
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Crash this tab
      </button>
      <dialog ref={dialog} className="models" aria-labelledby={id} onClose={() => setSurvived(false)}>
        <h2 id={id}>Crash this tab?</h2>
        <p>
          The tab ends at once, as if it had run out of memory, and the browser shows its own error page. Reload that page, and
          the conversation is back: an unfinished answer starts over, a question still waits, and a tool that was running runs
          again only if you say so.
        </p>
        {survived && (
          <p role="status">This browser refused to crash. Close the tab and open it again instead: the effect is the same.</p>
        )}
        <div className="dialog-actions">
          <button type="button" className="primary" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" onClick={now}>
            Crash it
          </button>
        </div>
      </dialog>
    </>
  );
}

/** Asks for a text of two gigabytes, at which Chromium ends the process. Other browsers refuse that. */
function crash(): void {
  try {
    const long = "ā".repeat(2 ** 29 - 24);
    new Text(long).appendData(long);
  } catch {}
}

/** How many seconds ago a tab was crashed, the first time that its conversation is there again. */
export function useCrashed(): number | undefined {
  const ready = useGlove(({ sessionReady }) => sessionReady);
  const [seconds, setSeconds] = useState<number>();
  useEffect(() => {
    const at = localStorage.getItem(key);
    if (!ready || at === null) return;
    localStorage.removeItem(key);
    setSeconds(Math.round((Date.now() - Number(at)) / 1_000));
    const timer = setTimeout(() => setSeconds(undefined), 10_000);
    return () => clearTimeout(timer);
  }, [ready]);
  return seconds;
}
