// What all pages have in common: a list, a field, a message that is sent at once, and when each of it was there.
import { useEffect } from "react";
import { createRoot } from "react-dom/client";

const at = {};
window.figures = at;
const mark = (what) => {
  at[what] ??= performance.now();
};

function Screen({ texts, send, ready }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: one message, as soon as there is a screen.
  useEffect(() => {
    mark("usable");
    send("Hi");
  }, []);
  useEffect(() => {
    if (ready) mark("ready");
    if (texts.some((text) => text.includes("Hello from the model"))) mark("answer");
  });
  return (
    <main>
      <ul>
        {texts.map((text, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: nothing moves in this list.
          <li key={place}>{text}</li>
        ))}
      </ul>
      <textarea />
    </main>
  );
}

export function start(Page) {
  createRoot(document.getElementById("root")).render(<Page Screen={Screen} />);
}
