// What a card shows when it is opened: what the call was given, and what came of it.
import { type ReactNode, useContext, useRef, useState } from "react";
import { usePartOf } from "../../hooks/handle-registry.js";
import { Loader } from "../../look/loader.js";
import { useLabels } from "../../render/labels.js";
import { ChatContext } from "../chat-context.js";
import { dressed } from "./dress.js";
import { isLong, OpenResult } from "./open-result.js";
import { pretty, ResultText } from "./result-text.js";
import type { UndoProps } from "./undo.js";
import { Values } from "./values.js";

export { OpenResult } from "./open-result.js";

interface CallDetailsProps {
  readonly input: unknown;
  readonly output: string | undefined;
  readonly failed: boolean;
  readonly title: string;
}

export function CallDetails({ input, output = "", failed, title }: CallDetailsProps): ReactNode {
  const say = useLabels();
  const result = useRef<HTMLDivElement>(null);
  return (
    <>
      <h4>{say("Arguments")}</h4>
      <Values of={input} none={say("None")} />
      {output !== "" && (
        <>
          <h4>{say(failed ? "Error" : "Result")}</h4>
          {mayHoldMedia(output) ? (
            <ResultMedia output={output} />
          ) : (
            <div ref={result} data-glove-result="">
              {isLong(pretty(output)) && <OpenResult of={result} title={title} text={output} />}
              <ResultText text={output} />
            </div>
          )}
        </>
      )}
    </>
  );
}

/** Of a call that can be taken back, or that was: what tells that stays. */
export function UndoCall(props: Omit<UndoProps, "chat">): ReactNode {
  const chat = useContext(ChatContext);
  const undoable = usePartOf(chat?.glove, ({ undoable }) => undoable);
  const [known, know] = useState(false);
  const isKnown = known || (undoable?.some(({ toolCallId }) => toolCallId === props.id) ?? false);
  if (isKnown !== known) know(isKnown);
  return (
    chat?.glove.undo &&
    isKnown && (
      <>
        <i ref={dressed} hidden />
        <Undo {...props} chat={chat} />
      </>
    )
  );
}

const Undo = /* @__PURE__ */ new Loader(() => import("./undo.js"), true).component("Undo");

/** Pictures and files are drawn by what is loaded with the first of them. */
const ResultMedia = /* @__PURE__ */ new Loader(() => import("../../outputs/result-media.js")).component("ResultMedia");
const mayHoldMedia = (output: string): boolean => /^[[{]/.test(output) && /"(?:source|mimeType)"/.test(output);
