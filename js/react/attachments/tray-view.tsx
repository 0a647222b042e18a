// The files of the message that is being written, in the composer.
import { Fragment, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { useLabels } from "../render/labels.js";
import { Attachment } from "./attachment.js";
import { shortName } from "./file-labels.js";
import { putText } from "./pasted/put-text.js";
import type { Prepared } from "./prepare.js";
import { styled } from "./styled.js";
import type { Attached, Tray } from "./tray.js";

/** A file of the message that is being written, and what can be done with it. */
export interface AttachedItem extends Omit<Attached, "prepared" | "note"> {
  /** Why it cannot be attached, or how it is sent, in words. */
  readonly text?: string | undefined;
  readonly remove: () => void;
  /** Uploads it once more, where that has failed. */
  readonly retry?: (() => void) | undefined;
  /** Of a long text that was pasted: takes the file away, and puts the text where the cursor is. */
  readonly putBack?: (() => void) | undefined;
}

export interface TrayViewProps {
  tray: Tray;
  className?: string | undefined;
  /** Draws one file. */
  children?: ((item: AttachedItem) => ReactNode) | undefined;
}

export function TrayView({ tray, className, children }: TrayViewProps): ReactNode {
  const say = useLabels();
  const items = useSyncExternalStore(tray.subscribe, tray.getItems, tray.getItems);
  const list = useRef<HTMLUListElement>(null);
  const focus = useRef<{ readonly at: number; readonly form: Element | null | undefined }>(undefined);
  const remove = (id: string, at: number) => {
    if (list.current?.contains(document.activeElement)) focus.current = { at, form: list.current.closest("form") };
    tray.remove(id);
  };
  const again = (id: string, at: number) => {
    if (list.current?.contains(document.activeElement)) focus.current = { at, form: list.current.closest("form") };
    tray.retry(id);
  };
  const putBack = async (id: string, { file }: Prepared) => {
    const field = list.current?.closest("form")?.querySelector("textarea");
    const text = await file.text();
    if (!field || !tray.getItems().some((item) => item.id === id)) return;
    putText(field, text);
    tray.remove(id);
  };
  // What cannot be attached is to be read, also where the list is long.
  useBrowserLayoutEffect(() => {
    const refused = list.current?.querySelector('[data-state="refused"], [data-state="failed"]');
    if (items.length > 0) refused?.scrollIntoView?.({ block: "nearest" });
  }, [items]);
  // The button goes; the focus goes to the one in its place, or back to the text.
  useBrowserLayoutEffect(() => {
    if (!focus.current) return;
    const { at, form } = focus.current;
    focus.current = undefined;
    const buttons = list.current?.querySelectorAll<HTMLElement>("button:not([data-glove-retry])") ?? [];
    (buttons[Math.min(at, buttons.length - 1)] ?? form?.querySelector("textarea"))?.focus();
  }, [items]);
  return (
    <>
      <News tray={tray} items={items} />
      {items.length > 0 && (
        <ul ref={list} data-glove-attachments="" className={className} aria-label={say("Attached files")}>
          {items.map((item, at) => {
            const take = () => remove(item.id, at);
            const { prepared, note: _, ...rest } = item;
            const file = { ...rest, text: tray.says(item, say) };
            const retry = item.state === "failed" ? () => again(item.id, at) : undefined;
            const back = prepared?.pasted ? () => void putBack(item.id, prepared) : undefined;
            if (children) return <Fragment key={item.id}>{children({ ...file, remove: take, retry, putBack: back })}</Fragment>;
            return (
              <li key={item.id}>
                <Attachment file={file} onRemove={take} onRetry={retry} onPutBack={back} />
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

/** Reads out what came, went or cannot be attached. */
function News({ tray, items }: { readonly tray: Tray; readonly items: readonly Attached[] }): ReactNode {
  const say = useLabels();
  const before = useRef(items);
  const [news, setNews] = useState("");
  useEffect(() => {
    const known = new Map(before.current.map((item) => [item.id, item]));
    const announcements: string[] = [];
    for (const item of items) {
      const { id, name, state } = item;
      if (known.get(id)?.state !== state) {
        const text = tray.says(item, say);
        if (text) announcements.push(text);
        else if (state === "ready") announcements.push(`${shortName(name)}: ${say("Attached")}`);
      }
      known.delete(id);
    }
    // What was sent is in the conversation now.
    if (items.length > 0)
      for (const { name, state } of known.values())
        if (state !== "refused") announcements.push(`${shortName(name)}: ${say("Removed")}`);
    before.current = items;
    if (announcements.length > 0) setNews(announcements.join(" "));
  }, [tray, items, say]);
  return (
    <div ref={styled} role="status" data-glove-label="">
      {news}
    </div>
  );
}
