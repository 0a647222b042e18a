// The page's turn between two pieces of long work.

/** Lets the page do what waits. Timers stand still in hidden tabs; jsdom has nothing else. */
export const turn = () =>
  new Promise<void>((later) => {
    if (typeof MessageChannel === "undefined") {
      setTimeout(later, 0);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      later();
    };
    port2.postMessage(0);
  });
