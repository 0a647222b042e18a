// `useUnread()`: marks threads that got something new while nobody looked at them.
import { useContext, useEffect, useRef } from "react";
import { checkUnreadOptions, type WatchUnreadOptions, watchUnread } from "../../src/threads/watch-unread.js";
import { GloveError } from "../../src/values/error.js";
import { GloveContext } from "../hooks/glove-context.js";

/**
 * `watchUnread` of the provider's client, as long as the component is on the screen. Unless `onOpen` says otherwise, a notification that is
 * pressed opens its thread.
 */
export function useUnread(options: WatchUnreadOptions = {}): void {
  const provided = useContext(GloveContext);
  if (!provided) throw new GloveError("CLIENT_CONFIG", "useUnread requires a GloveProvider");
  checkUnreadOptions(options);
  const { client, current } = provided;
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const { title, badge } = options;
  useEffect(
    () =>
      watchUnread(client, {
        ...latest.current,
        title,
        badge,
        notify: (event) => latest.current.notify?.(event),
        onOpen(id) {
          const { onOpen } = latest.current;
          if (onOpen) onOpen(id);
          else void (current.get() ?? current.shared).actions.switchConversation(id);
        },
      }),
    [client, current, title, badge],
  );
}
