// The result of a call that has pictures or files in it, in the details of its card: a picture as one, a file as a card, and the texts between them.
import { type CSSProperties, type ReactNode, useMemo, useState } from "react";
import { ResultText } from "../parts/calls/result-text.js";
import { useLabels } from "../render/labels.js";
import { visibleText } from "../text/visible-text.js";
import { FileCard } from "./file-card.js";
import { type ResultPart, resultParts } from "./result-parts.js";
import { Zoom, Zooms } from "./zoom.js";

export function ResultMedia({ output }: { readonly output: string }): ReactNode {
  const parts = useMemo(() => resultParts(output), [output]);
  if (!parts) return <ResultText text={output} />;
  const drawn = parts.map((part, at) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: they never change.
    if (part.kind === "text") return <ResultText key={at} text={part.text} />;
    return <Media key={at} part={part} />;
    // biome-ignore-end lint/suspicious/noArrayIndexKey: they never change.
  });
  return <Zooms>{drawn}</Zooms>;
}

type MediaPart = Exclude<ResultPart, { kind: "text" }>;

const bounded: CSSProperties = { display: "block", maxWidth: "100%", maxHeight: "16rem" };

function Media({ part }: { readonly part: MediaPart }): ReactNode {
  const say = useLabels();
  /** It is none, whatever its type says. */
  const [broken, setBroken] = useState(false);
  const { kind, name, type, size, data } = part;
  if (kind === "file" || broken || !("data" in data))
    return <FileCard name={name} type={broken ? "" : type} size={size} data={data} />;
  const source = `data:${type || "image/png"};base64,${data.data}`;
  return <Zoom src={source} alt={visibleText(name) || say("Picture")} style={bounded} onError={() => setBroken(true)} />;
}
