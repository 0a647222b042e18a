// What a card shows when it is opened: what the call was given, and what came of it.
import { type ReactNode, useRef } from "react";
import { Loader } from "../../look/loader.js";
import { useLabels } from "../../render/labels.js";
import { isLong, OpenResult } from "./open-result.js";
import { pretty, ResultText } from "./result-text.js";
import { Values } from "./values.js";

export { OpenResult } from "./open-result.js";
export { TaskCard } from "./task-list.js";
export { UndoCall } from "./undo.js";

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

/** Pictures and files are drawn by what is loaded with the first of them. */
const ResultMedia = /* @__PURE__ */ new Loader(() => import("../../outputs/result-media.js")).component("ResultMedia");
const mayHoldMedia = (output: string): boolean => /^[[{]/.test(output) && /"(?:source|mimeType)"/.test(output);
