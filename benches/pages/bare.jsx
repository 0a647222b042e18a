// The least that a chat page is: React, a list and a fetch that reads its answer as it comes.
import { useState } from "react";

export function Page({ Screen, history = [] }) {
  const [texts, setTexts] = useState(history);
  const send = async (text) => {
    setTexts((before) => [...before, text, ""]);
    const response = await fetch("/chat/bare", { method: "POST", body: text });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      setTexts((before) => before.with(-1, before.at(-1) + value));
    }
  };
  return <Screen texts={texts} send={send} ready />;
}
