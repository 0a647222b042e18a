// A file that a tool gave, as a card that downloads it, or leads to where it is.
import type { ReactNode } from "react";
import { fromBase64 } from "../../src/values/base64.js";
import { Attachment } from "../attachments/attachment.js";
import { styled } from "../attachments/styled.js";
import { safeLink } from "../markdown/safe-url.js";
import { text } from "../renderers/props.js";

export interface FileCardProps {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** With its `url`, or its content in base64 as `data`. */
  readonly data: unknown;
}

export function FileCard({ name, type, size, data }: FileCardProps): ReactNode {
  const content = text(data, "data") ?? "";
  const url = text(data, "url");
  const thumbnail = url === undefined && type.startsWith("image/") ? `data:${type};base64,${content}` : undefined;
  const file = { name, type, size, thumbnail };
  return (
    <div ref={styled} data-glove-files="">
      <Attachment file={file} asChild>
        {url === undefined ? (
          <button type="button" onClick={() => void download(name, type, content)} />
        ) : (
          // biome-ignore lint/a11y/useAnchorContent: `Attachment` fills it.
          <a href={safeLink(url)} target="_blank" rel="noreferrer" />
        )}
      </Attachment>
    </div>
  );
}

async function download(name: string, type: string, content: string): Promise<void> {
  const bytes = (await fromBase64(content)) ?? new Uint8Array();
  // As bytes alone: whatever a tool gave, it is no page of this site.
  const href = URL.createObjectURL(
    new Blob([bytes], { type: /^image\/(?!svg)|^application\/pdf$/.test(type) ? type : "application/octet-stream" }),
  );
  Object.assign(document.createElement("a"), { href, download: name || "file" }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
