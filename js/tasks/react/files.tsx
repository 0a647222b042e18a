// The files of the workspace, by what they are for.
import { type ReactNode, useId } from "react";
import { Icon } from "../../react/parts/icons.js";
import { useLabels } from "../../react/render/labels.js";
import { Name } from "../../react/text/visible.js";
import { visibleText } from "../../react/text/visible-text.js";
import type { WorkspaceEntry } from "../workspaces/workspace.js";
import { download } from "./download.js";
import { sizeText } from "./labels.js";
import { downloadIcon, fileIcon, Section, useBoard } from "./parts.js";

/** What a person reads and edits; the rest of `progress/` is the record of the task. */
const working = /^progress\/(?:notes\.md|todo\.md|findings\.md|sources\.jsonl|plan\/current\.json|context\/|recovered\/)/;

export function Files(): ReactNode {
  const say = useLabels();
  const id = useId();
  const { task } = useBoard();
  const inputs = task.files.filter(({ path }) => path.startsWith("task/"));
  const work = task.files.filter(({ path }) => working.test(path));
  const record = task.files.filter(
    ({ path }) => !path.startsWith("task/") && !working.test(path) && !path.startsWith("progress/artifacts/"),
  );
  return (
    <Section id={id} title={say("Files")}>
      {inputs.length > 0 && (
        <>
          <h4>{say("Inputs")}</h4>
          <FileList files={inputs} from="task/" />
        </>
      )}
      {work.length > 0 && (
        <>
          <h4>{say("Working files")}</h4>
          <FileList files={work} from="progress/" />
        </>
      )}
      {record.length > 0 && (
        <details>
          <summary>
            {say("Record")} <small>{record.length}</small>
            <Icon name="chevron" />
          </summary>
          <FileList files={record} from="progress/" />
        </details>
      )}
      {task.files.length === 0 && <p data-glove-quiet="">{say("No files yet")}</p>}
    </Section>
  );
}

interface FileListProps {
  readonly files: readonly WorkspaceEntry[];
  /** Left away of the names. */
  readonly from: string;
  /** With a button that downloads each. */
  readonly large?: boolean;
}

export function FileList({ files, from, large = false }: FileListProps): ReactNode {
  const say = useLabels();
  const { task, open } = useBoard();
  const { workspace } = task;
  return (
    <ul data-glove-files={large ? "large" : ""}>
      {files.map(({ path, size }) => (
        <li key={path}>
          <button type="button" onClick={() => open(path)}>
            <Icon name={fileIcon} />
            <span data-glove-name="">
              <Name of={path.slice(from.length)} />
            </span>
            <small>{sizeText(size)}</small>
          </button>
          {large && workspace && (
            <button
              type="button"
              title={say("Download")}
              aria-label={`${say("Download")} ${visibleText(path.slice(from.length))}`}
              onClick={() => void download(workspace, path)}
            >
              <Icon name={downloadIcon} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
