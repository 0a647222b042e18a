// What all pages have in common: a list, a field, a message, and when each of it was there.
import { memo, useEffect } from "react";
import { createRoot } from "react-dom/client";

const ends = ["usable", "ready", "answer"];
const figures = {};
window.figures = figures;
const mark = (what) => {
  if (figures[what] !== undefined) return;
  figures[what] = performance.now();
  // For who traces the page.
  performance.mark(what);
  if (ends.every((end) => end in figures)) console.debug(JSON.stringify(figures));
};

const Line = memo(({ text }) => <li>{text}</li>);

/** One message is sent as soon as there is a screen, or by `window.send` when it `waits`. */
const screenOf = (waits) =>
  function Screen({ texts, send, ready }) {
    window.send = send;
    // biome-ignore lint/correctness/useExhaustiveDependencies: one message.
    useEffect(() => {
      mark("usable");
      if (!waits) send("Hi");
    }, []);
    useEffect(() => {
      if (ready) mark("ready");
      if (texts.some((text) => text.includes("from the model"))) mark("answer");
      if (texts.some((text) => text.includes("The end."))) mark("end");
    });
    return (
      <main>
        <ul>
          {texts.map((text, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nothing moves in this list.
            <Line key={place} text={text} />
          ))}
        </ul>
        <textarea />
      </main>
    );
  };

export function start(Page, { waits = false, history } = {}) {
  createRoot(document.getElementById("root")).render(<Page Screen={screenOf(waits)} history={history} />);
}
