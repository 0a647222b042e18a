// What React and drawing take of W4: its text, without a server, set once in each frame.
import { useState } from "react";

const perSecond = 400;
const all = 2_000;

export function Page({ Screen, history = [] }) {
  const [texts, setTexts] = useState(history);
  const send = (text) => {
    setTexts((before) => [...before, text, ""]);
    const since = performance.now();
    const frame = () => {
      const due = Math.min(all, Math.ceil(((performance.now() - since) / 1000) * perSecond));
      const now = `Here is a word from the model: ${" word".repeat(due)}${due === all ? "The end." : ""}`;
      setTexts((before) => before.with(-1, now));
      if (due < all) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
  return <Screen texts={texts} send={send} ready />;
}
