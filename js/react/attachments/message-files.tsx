// The pictures and files of a message: small, and a picture large when it is pressed.
import { type ReactNode, useContext, useState } from "react";
import type { TimelineEntry } from "../../src/snapshot/snapshot.js";
import type { Engine } from "../hooks/engine.js";
import { engineOfHandle, usePartOf } from "../hooks/handle-registry.js";
import { Loader } from "../look/loader.js";
import { ChatContext } from "../parts/chat-context.js";
import { useLabels } from "../render/labels.js";
import { Attachment } from "./attachment.js";
import { styled } from "./styled.js";

const Large = /* @__PURE__ */ new Loader(() => import("./large.js"), true).component("Large");

export interface MessageFilesProps {
  entry: Extract<TimelineEntry, { kind: "user" }>;
}

export function MessageFiles({ entry }: MessageFilesProps): ReactNode {
  const { images = [], leftOut } = entry;
  // A record from elsewhere may have anything there.
  const files = (entry.files ?? []).filter((file) => typeof file?.name === "string");
  const say = useLabels();
  const [large, setLarge] = useState<string>();
  return (
    <>
      {images.length > 0 && (
        <div ref={styled} data-glove-pictures={images.length > 1 ? "many" : "one"}>
          {images.map((source, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a message's images never change their places.
            <button key={index} type="button" title={say("Show large")} onClick={() => setLarge(source)}>
              <img src={source} alt={say("Image you attached")} />
            </button>
          ))}
        </div>
      )}
      {files.length > 0 && (
        <div ref={styled} data-glove-files="">
          {files.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nor do its files.
            <Attachment key={index} file={file} />
          ))}
        </div>
      )}
      {leftOut && <LeftOut entry={entry} />}
      {large && <Large source={large} label={say("Image you attached")} close={() => setLarge(undefined)} />}
    </>
  );
}

/** What was too large for the model, or refused by it, and the way to send its pictures smaller. */
function LeftOut({ entry }: MessageFilesProps): ReactNode {
  const say = useLabels();
  const chat = useContext(ChatContext);
  const [state, setState] = useState<"idle" | "sending" | "failed">("idle");
  const isLast = usePartOf(
    chat?.glove,
    ({ timeline, busy }) => !busy && timeline.findLast(({ kind }) => kind === "user") === entry,
  );
  const engine = chat ? engineOfHandle(chat.glove) : undefined;
  const { id } = entry;
  const canShrink = isLast && engine && id !== undefined && entry.images?.some((source) => source.startsWith("data:"));
  const send = async () => {
    const { session, edit } = (engine as Engine).getState();
    setState("sending");
    try {
      const { smaller } = await import("./resend-smaller.js");
      const content = await smaller((await session?.messages()) ?? [], id as string);
      setState("idle");
      void edit(id as string, { text: entry.text, content });
    } catch {
      setState("failed");
    }
  };
  return (
    <div data-glove-cut-note="" data-state={state}>
      <p>{say(state === "failed" ? "The pictures could not be made smaller." : "The model cannot read these files.")}</p>
      {canShrink && (
        <span data-glove-actions="">
          <button type="button" disabled={state === "sending"} onClick={() => void send()}>
            {say("Send smaller pictures")}
          </button>
        </span>
      )}
    </div>
  );
}
