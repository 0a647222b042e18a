// The least that a chat page is: React, a list and a fetch.
import { useState } from "react";

export function Page({ Screen }) {
  const [texts, setTexts] = useState([]);
  const send = async (text) => {
    setTexts((before) => [...before, text]);
    const response = await fetch("/chat/bare", { method: "POST", body: text });
    const answer = await response.text();
    setTexts((before) => [...before, answer]);
  };
  return <Screen texts={texts} send={send} ready />;
}
