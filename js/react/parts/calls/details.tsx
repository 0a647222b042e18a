// What a card shows when it is opened: what the call was given, and what came of it.
import type { ReactNode } from "react";
import { Loader } from "../../look/loader.js";
import { useLabels } from "../../render/labels.js";
import { ResultText } from "./result-text.js";
import { Values } from "./values.js";

export { OpenResult } from "./open-result.js";
export { TaskCard } from "./task-list.js";
export { UndoCall } from "./undo.js";

interface CallDetailsProps {
  readonly input: unknown;
  readonly output: string | undefined;
  readonly failed: boolean;
}

export function CallDetails({ input, output = "", failed }: CallDetailsProps): ReactNode {
  const say = useLabels();
  return (
    <>
      <h4>{say("Arguments")}</h4>
      <Values of={input} none={say("None")} />
      {output !== "" && (
        <>
          <h4>{say(failed ? "Error" : "Result")}</h4>
          {mayHoldMedia(output) ? <ResultMedia output={output} /> : <ResultText text={output} />}
        </>
      )}
    </>
  );
}

/** Pictures and files are drawn by what is loaded with the first of them. */
const ResultMedia = /* @__PURE__ */ new Loader(() => import("../../outputs/result-media.js")).component("ResultMedia");
const mayHoldMedia = (output: string): boolean => /^[[{]/.test(output) && /"(?:source|mimeType)"/.test(output);
