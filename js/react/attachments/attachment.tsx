// A file as a card: its picture or its name, type and size, and what is the matter with it.
import type { ReactNode } from "react";
import { type PartProps, part } from "../parts/as-child.js";
import { Icon } from "../parts/icons.js";
import { useLabels } from "../render/labels.js";
import { Visible } from "../text/visible.js";
import { visibleText } from "../text/visible-text.js";
import { bytes, shortName } from "./file-labels.js";
import type { AttachmentState } from "./tray.js";

/** A file, of a message or of the one that is being written. */
export interface AttachmentFile {
  readonly name?: string | undefined;
  /** Its media type. */
  readonly type: string;
  /** In bytes. */
  readonly size?: number | undefined;
  /** A small picture of it. */
  readonly thumbnail?: string | undefined;
  /** Left out for a file of a message. */
  readonly state?: AttachmentState | undefined;
  /** Why it cannot be attached, or how it is sent, in words. */
  readonly text?: string | undefined;
  /** How much of it is uploaded: from 0 to 1. */
  readonly progress?: number | undefined;
}

/** What `Attachment` takes. */
export interface AttachmentProps extends PartProps<"div"> {
  /** The file that is drawn. */
  file: AttachmentFile;
  /** Draws the button that takes the file away. */
  onRemove?: (() => void) | undefined;
  /** Draws the button that uploads the file once more. */
  onRetry?: (() => void) | undefined;
  /** Draws the button that puts a text back which was pasted. */
  onPutBack?: (() => void) | undefined;
}

/**
 * A card with the name, type and size of a file, or its picture. `data-state` is `waiting`, `preparing`, `uploading`, `ready`, `failed`,
 * `refused` or `sent`.
 */
export function Attachment({ file, onRemove, onRetry, onPutBack, ...props }: AttachmentProps): ReactNode {
  const say = useLabels();
  const { name = "", type, size, thumbnail, state = "sent", text, progress } = file;
  const seen = visibleText(name);
  const label = shortName(name) || say("File");
  const uploads = state === "uploading";
  const busy = state === "waiting" || state === "preparing" || uploads;
  const isLost = state === "refused" || state === "failed";
  const remove = say("Remove {name}", { name: seen });
  const facts = [shortType(type, name), size ? bytes(size) : ""].filter(Boolean).join(" · ");
  const children = (
    <>
      {thumbnail ? (
        <img src={thumbnail} alt="" />
      ) : (
        <span data-glove-file-icon="">
          <Icon name={isLost ? "failed" : "M14 3H6v18h12V7zM14 3v4h4"} />
        </span>
      )}
      <span data-glove-file-text="">
        {!(isLost && text) && <bdi title={seen}>{label === seen ? <Visible text={name} /> : label}</bdi>}
        {/* The name is in the sentence. */}
        <small>
          {uploads
            ? say("Uploading: {n} %", { n: Math.round((progress ?? 0) * 100) })
            : busy
              ? say("Preparing…")
              : (text ?? facts)}
        </small>
        {uploads && <progress aria-label={seen || label} value={progress ?? 0} />}
      </span>
      {onRetry && (
        <button type="button" data-glove-retry="" title={say("Try again")} onClick={onRetry}>
          <Icon name="retry" />
          <span data-glove-label="">{`${say("Try again")}: ${seen}`}</span>
        </button>
      )}
      {onPutBack && (
        <button type="button" data-glove-put-back="" title={say("Put back into the text")} onClick={onPutBack}>
          <Icon name="M4 6h16M4 12h16M4 18h9" />
          <span data-glove-label="">{`${say("Put back into the text")}: ${seen}`}</span>
        </button>
      )}
      {onRemove && (
        <button type="button" data-glove-remove="" title={remove} onClick={onRemove}>
          <Icon name="remove" />
          <span data-glove-label="">{remove}</span>
        </button>
      )}
    </>
  );
  const own = { "data-glove-attachment": "", "data-state": state, "aria-busy": busy || undefined, children };
  return part("div", own, props);
}

function shortType(type: string, name: string): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1];
  return (ending ?? type.split("/")[1]?.split(/[;+]/)[0] ?? "").toUpperCase();
}
