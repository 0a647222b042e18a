// The least that a page with our core can take: the bare page, which loads and compiles the wasm file when it has drawn, and asks then.
import { useEffect, useState } from "react";
import { Page as Bare } from "./bare.jsx";

let core;
const start = () => {
  core ??= import("../../pkg/src/wasm/inline-file.js").then(({ file }) => WebAssembly.compile(file()));
  return core;
};

export function Page({ Screen, ...props }) {
  const [Waiting] = useState(() => waiting(Screen));
  return <Bare Screen={Waiting} {...props} />;
}

const waiting = (Screen) =>
  function Waiting({ send, ...props }) {
    const [ready, setReady] = useState(false);
    useEffect(() => {
      start().then(() => setReady(true));
    }, []);
    return <Screen {...props} ready={ready} send={(text) => start().then(() => send(text))} />;
  };
