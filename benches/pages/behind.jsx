// A page of this package with a history, which is kept in memory: a page that keeps nothing there does not load the store for that.
import { MemoryStore } from "glove-wasm";

let kept;

function stored(history) {
  const store = new MemoryStore("s");
  store.appendMessages(history.map((text, at) => ({ sender: at % 2 ? "agent" : "user", text })));
  return { createStore: () => store };
}

export const behind = (Page) =>
  function Behind({ history, ...props }) {
    kept ??= stored(history);
    return <Page {...props} kept={kept} />;
  };
