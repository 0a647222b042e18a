// `generateTitles`: has a model name new conversations. What asks it is loaded with the first answer.
import type { ModelAdapter } from "../ports/model.js";
import type { Watcher } from "../ports/subscriber.js";
import type { GloveClient } from "../session/client.js";
import type { GloveSession } from "../session/session.js";
import { loadPart } from "../values/error.js";
import { isInside } from "../values/ids.js";
import { check, checkOptions } from "../values/validate-options.js";

/** Settings of `generateTitles`. */
export interface GenerateTitlesOptions {
  /** The model that is asked, such as a cheaper one; default: the model of the conversation. */
  model?: ModelAdapter | undefined;
}

/**
 * Asks a model for the title of each new conversation of the client, once, after its first answer. What a person or the application has
 * named keeps its name. Where no title comes, the list shows what the person wrote first. Returns a function that ends it.
 */
export function generateTitles(client: GloveClient, options: GenerateTitlesOptions = {}): () => void {
  check("`client.onSession`", client?.onSession, "work");
  checkOptions(check("The settings", options, "object"), { model: "model" });
  let over = false;
  const watched = new Map<GloveSession, () => void>();
  const ended = client.onSession(({ session }) => {
    if (isInside(session.sessionId)) return;
    for (const closed of watched.keys()) if (closed.disposed) watched.delete(closed);
    const watcher: Watcher = {
      watches: true,
      async record(type, data) {
        if (over || type !== "request_finished" || data.outcome !== "completed") return;
        // The answer is in the snapshot a moment later. What comes while the part is loaded is not the first one.
        await undefined;
        const { timeline } = session.getSnapshot();
        const { giveTitle } = await loadPart(import("./titles.js"));
        if (!over) await giveTitle(session, timeline, client.catalog, options.model);
      },
    };
    watched.set(session, session.addSubscriber(watcher));
  });
  return () => {
    over = true;
    ended();
    for (const leave of watched.values()) leave();
    watched.clear();
  };
}
