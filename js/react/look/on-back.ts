// What lies over the page, as long as it is open: the way back of a phone closes it. What knows how is loaded then.

/** Gives what is to be called when it is closed. Without what knows how, the way back is that of the page. */
export function onBack(close: () => void): () => void {
  let isOver = false;
  const coming = import("./close-on-back.js").then(({ closeOnBack }) => (isOver ? undefined : closeOnBack(close)));
  coming.catch(() => {});
  return () => {
    isOver = true;
    coming.then((stop) => stop?.()).catch(() => {});
  };
}
