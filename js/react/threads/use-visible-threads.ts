// The threads of a client and the conversation that is shown, for `ThreadList`: with what loads it, because pages have the same files.
import { useContext, useSyncExternalStore } from "react";
import { GloveContext } from "../hooks/glove-context.js";
import { useThreads } from "./use-threads.js";

/** The conversation of the provider is not opened for the list. */
export function useVisibleThreads(search: string) {
  const list = useThreads({ search });
  const provided = useContext(GloveContext);
  const client = provided?.client;
  const current = provided?.current;
  // Of a page whose only hook has settings of its own, that one is shown.
  const latest = useSyncExternalStore(current?.subscribe ?? never, () => current?.get(), nothing);
  const engine = latest ?? current?.shared;
  const id = useSyncExternalStore(
    engine?.subscribe ?? never,
    () => engine?.getSnapshot().sessionId ?? "",
    () => engine?.getServerSnapshot().sessionId ?? "",
  );
  return {
    list,
    id,
    client,
    engine: () => current?.get() ?? current?.shared,
    switchTo: (next: string) => engine?.actions.switchConversation(next),
    begin: async (here: boolean) => (await (here ? engine?.actions.newConversation() : client?.mintSessionId())) ?? "",
  };
}

const never = () => () => {};
const nothing = () => undefined;
