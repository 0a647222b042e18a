// Shows a message of another thread: once that is open, on the branch that has it, and in sight.
import type { Engine } from "../hooks/engine.js";
import { viewsOf } from "../parts/reading/view-of.js";

const stepMs = 30;
/** A thread may be on a server. */
const patienceMs = 15_000;

/** The message that is wanted: one that was wanted before is not shown any more. */
let wanted = {};

/** False when that cannot be: the thread or its list does not come, or it has no such message. */
export async function showMessage(engineNow: () => Engine | undefined, thread: string, message: string): Promise<boolean> {
  const own = {};
  wanted = own;
  for (let waited = 0; waited < patienceMs && wanted === own; waited += stepMs) {
    const engine = engineNow();
    const view = engine && viewsOf.get(engine);
    if (view && engine.getSnapshot().sessionId === thread && engine.isReady) {
      const isShown = () => engine.getSnapshot().timeline.some(({ id }) => id === message);
      if (!isShown()) await engine.actions.switchBranch(message).catch(() => {});
      return wanted === own && view.scrollToMessage(drawnWith(engine.getSnapshot().timeline, message));
    }
    await new Promise((later) => setTimeout(later, stepMs));
  }
  return false;
}

/** What continues an answer is drawn with it. */
function drawnWith(timeline: ReturnType<Engine["getSnapshot"]>["timeline"], message: string): string {
  let at = timeline.findIndex(({ id }) => id === message);
  while (at > 0 && timeline[at]?.kind === "agent_text" && timeline[at]?.id.startsWith("continues.")) at--;
  return timeline[at]?.id ?? message;
}
