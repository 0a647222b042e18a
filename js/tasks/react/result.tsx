// What came of the task so far: the verdict, the answer, and the files that it made.
import { type ReactNode, useId } from "react";
import { useLabels } from "../../react/render/labels.js";
import { Name } from "../../react/text/visible.js";
import type { ShownTaskState } from "../remote-task.js";
import { FileList } from "./files.js";
import { Mark, Section, useBoard } from "./parts.js";
import { useText } from "./use-file.js";

export const artifacts = "progress/artifacts/";

export function Result({ state }: { readonly state: ShownTaskState }): ReactNode {
  const say = useLabels();
  const [result, made] = [useId(), useId()];
  const { task, Text } = useBoard();
  const over = state.status === "finished";
  const answer = useText(over ? state.output_ref : undefined);
  const deliverables = task.files.filter(({ path }) => path.startsWith(artifacts));
  const { verdict, warnings } = state;
  return (
    <>
      {(verdict || answer || warnings.length > 0) && (
        <Section id={result} title={say("Result")}>
          {verdict && (
            <div data-glove-verdict={verdict.pass ? "done" : "failed"}>
              <Mark state={verdict.pass ? "done" : "failed"} />
              <div>
                <p>{say(verdict.pass ? "Verification passed" : "Verification failed")}</p>
                {verdict.reasons && verdict.reasons.length > 0 && (
                  <ul>
                    {verdict.reasons.map((reason) => (
                      <li key={reason}>
                        <Name of={reason} lines />
                      </li>
                    ))}
                  </ul>
                )}
              </div>
            </div>
          )}
          {warnings.map((warning) => (
            <div key={warning} data-glove-verdict="waiting">
              <Mark state="waiting" />
              <p>
                <Name of={warning} lines />
              </p>
            </div>
          ))}
          {answer && <Text text={answer} />}
        </Section>
      )}
      {deliverables.length > 0 && (
        <Section id={made} title={say("Deliverables")} aside={deliverables.length}>
          <FileList files={deliverables} from={artifacts} large />
        </Section>
      )}
    </>
  );
}
