// One file, over the board: text, JSON, markdown or a picture, as it is now; what steers the task can be edited.
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { Icon } from "../../react/parts/icons.js";
import { useLabels } from "../../react/render/labels.js";
import { Long } from "../../react/render/long-text.js";
import { Name } from "../../react/text/visible.js";
import { visibleText } from "../../react/text/visible-text.js";
import { download } from "./download.js";
import { sizeText } from "./labels.js";
import { downloadIcon, useBoard } from "./parts.js";
import { type FileContent, useFile } from "./use-file.js";

/** The task reads these at its next step. */
const editable = /^progress\/(?:notes\.md|todo\.md|findings\.md|plan\/current\.json)$/;
const pictures: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};

export function Viewer({ path, close }: { readonly path: string; readonly close: () => void }): ReactNode {
  const say = useLabels();
  const id = useId();
  const { task } = useBoard();
  const content = useFile(path);
  const [editing, setEditing] = useState<string>();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    // Where there is no modal dialog, as in some test environments, it is an open one.
    if (current && !current.open) current.showModal?.();
  }, []);
  const { workspace } = task;
  const text = content.status === "ready" ? textOf(content.bytes) : undefined;
  const name = path.split("/").at(-1) ?? path;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the backdrop is for the mouse.
    <dialog
      ref={dialog}
      aria-labelledby={id}
      data-glove-viewer=""
      onClose={close}
      // What was typed is not lost to one key.
      onCancel={(event) => editing !== undefined && event.preventDefault()}
      onClick={(event) => event.target === event.currentTarget && editing === undefined && close()}
    >
      <div data-glove-viewer-head="">
        <h3 id={id}>
          <Name of={name} />
          <small>{content.status === "ready" ? sizeText(content.bytes.length) : ""}</small>
        </h3>
        {editable.test(path) && text !== undefined && editing === undefined && (
          <button type="button" onClick={() => setEditing(text)}>
            {say("Edit")}
          </button>
        )}
        {workspace && (
          <button
            type="button"
            title={say("Download")}
            aria-label={say("Download")}
            onClick={() => void download(workspace, path)}
          >
            <Icon name={downloadIcon} />
          </button>
        )}
        <button type="button" title={say("Close")} aria-label={say("Close")} onClick={close}>
          <Icon name="remove" />
        </button>
      </div>
      {editing === undefined ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard.
        <div data-glove-viewer-body="" tabIndex={0}>
          <Content path={path} content={content} text={text} />
        </div>
      ) : (
        <Editor path={path} base={editing} now={text} done={() => setEditing(undefined)} />
      )}
    </dialog>
  );
}

/** Text that is none has these. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

interface ContentProps {
  readonly path: string;
  readonly content: FileContent;
  readonly text: string | undefined;
}

function Content({ path, content, text }: ContentProps): ReactNode {
  const say = useLabels();
  const { Text } = useBoard();
  if (content.status === "loading") return null;
  if (content.status === "missing") return <p data-glove-quiet="">{say("The file is not there any more.")}</p>;
  if (content.status === "failed") return <p data-glove-error="">{say("The file could not be read.")}</p>;
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const type = pictures[ending];
  if (type) return <Picture bytes={content.bytes} type={type} name={path} />;
  if (text === undefined) return <p data-glove-quiet="">{say("This file cannot be shown here.")}</p>;
  if (text === "") return <p data-glove-quiet="">{say("The file is empty.")}</p>;
  if (ending === "md" || ending === "markdown") return <Text text={text} />;
  return (
    <pre data-glove-text="">
      <Long text={ending === "json" ? pretty(text) : text} />
    </pre>
  );
}

/** JSON on several lines; anything else, and what is long, as it is. */
function pretty(text: string): string {
  if (text.length > 500_000) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** A picture as a file of its own: a drawing in it can run nothing. */
function Picture({ bytes, type, name }: { readonly bytes: Uint8Array; readonly type: string; readonly name: string }): ReactNode {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return address ? <img src={address} alt={visibleText(name)} /> : null;
}

interface EditorProps {
  readonly path: string;
  /** What was there when editing began. */
  readonly base: string;
  readonly now: string | undefined;
  readonly done: () => void;
}

function Editor({ path, base, now, done }: EditorProps): ReactNode {
  const say = useLabels();
  const { task } = useBoard();
  const [text, setText] = useState(base);
  const [seen, setSeen] = useState(base);
  const [warned, setWarned] = useState(false);
  const [failed, setFailed] = useState(false);
  const rows = useMemo(() => Math.min(30, Math.max(8, base.split("\n").length + 1)), [base]);
  const save = async () => {
    // What the task has written meanwhile is not lost without a word.
    if (now !== undefined && now !== seen) {
      setSeen(now);
      setWarned(true);
      return;
    }
    setFailed(false);
    if (await task.write(path, text)) done();
    else setFailed(true);
  };
  return (
    <form
      data-glove-question=""
      data-glove-editing=""
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        aria-label={visibleText(path)}
        value={text}
        rows={rows}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
      {warned && (
        <p role="alert" data-glove-error="">
          {say("The file has changed meanwhile. Saving again replaces what is there now.")}
        </p>
      )}
      {failed && (
        <p role="alert" data-glove-error="">
          {say("The file could not be saved.")} {task.error?.message}
        </p>
      )}
      <div data-glove-actions="">
        <button type="submit">{say("Save")}</button>
        <button type="button" onClick={done}>
          {say("Cancel")}
        </button>
      </div>
    </form>
  );
}
