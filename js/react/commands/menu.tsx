// The list over a composer in which "/" was typed: what it may mean. Loaded where there are skills or hooks.
import { type CSSProperties, type JSX, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { folded } from "../../src/plugins/slash-names.js";
import { adopt } from "../look/adopt.js";
import { css } from "../look/generated/commands-css.js";
import { useLabels } from "../render/labels.js";
import { Name } from "../text/visible.js";
import type { Command } from "./list.js";
import { matching, type Typed, typedIn } from "./match-commands.js";

/** What `ComposerCommands` takes. */
export interface ComposerCommandsProps extends Omit<JSX.IntrinsicElements["div"], "children" | "ref"> {
  /** Draws what stands in the list for one of them. */
  children?: ((command: Command) => ReactNode) | undefined;
}

interface Menu {
  readonly field: HTMLTextAreaElement;
  readonly typed: Typed;
}

const hidden: CSSProperties = { position: "absolute", width: 1, height: 1, overflow: "hidden", clipPath: "inset(50%)" };

/** A field of several lines stays what it is to a screen reader: HTML allows a `textarea` no role of a combobox, and all of its other attributes. */
export function CommandMenu({
  commands,
  children,
  ...props
}: ComposerCommandsProps & { commands: readonly Command[] }): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const say = useLabels();
  const [menu, setMenu] = useState<Menu | null>(null);
  const [chosen, setChosen] = useState(0);
  const found = menu ? matching(commands, menu.typed) : [];
  const active = Math.min(chosen, found.length - 1);
  /** What events outside of React read. */
  const now = useRef<Shown>({ menu, found, active });
  now.current = { menu, found, active };
  useEffect(() => {
    const form = list.current?.closest("form");
    if (!form) return;
    adopt(form, css);
    return listen(form, now, (menu, at = 0) => {
      setMenu(menu);
      setChosen(at);
    });
  }, []);
  useEffect(() => {
    const field = menu?.field ?? list.current?.closest("form")?.querySelector("textarea");
    if (!field) return;
    const open = found.length > 0;
    const attributes = {
      "aria-autocomplete": "list",
      "aria-haspopup": "listbox",
      "aria-controls": open ? id : null,
      "aria-activedescendant": open ? `${id}${active}` : null,
    };
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null) field.removeAttribute(name);
      else field.setAttribute(name, value);
    }
    list.current?.children[active]?.scrollIntoView?.({ block: "nearest" });
  });
  return (
    <>
      <div
        {...props}
        ref={list}
        role="listbox"
        id={id}
        hidden={found.length === 0}
        aria-label={say("Commands")}
        data-glove-commands=""
        // By arrows in the field, never by itself: some browsers stop the Tab key at what scrolls.
        tabIndex={-1}
        // The focus stays where the text is.
        onMouseDown={(event) => event.preventDefault()}
      >
        {found.map((command, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose.
          <div
            key={command.name}
            role="option"
            id={`${id}${at}`}
            aria-selected={at === active}
            data-kind={command.kind}
            onMouseMove={() => setChosen(at)}
            onClick={() => {
              if (menu) complete(menu, command);
              setMenu(null);
            }}
          >
            {children?.(command) ?? (
              <>
                <Name of={`/${command.name}`} />{" "}
                <span>
                  <Name of={`${command.description ?? ""}`} />
                </span>
              </>
            )}
          </div>
        ))}
      </div>
      <span role="status" style={hidden}>
        {found.length > 0 && `${say("Commands")}: ${found.length}`}
      </span>
    </>
  );
}

interface Shown {
  readonly menu: Menu | null;
  readonly found: readonly Command[];
  readonly active: number;
}

/** What is typed opens the list, and its keys are its own as long as it is open. Gives its undo. */
function listen(
  form: HTMLFormElement,
  now: { readonly current: Shown },
  show: (menu: Menu | null, at?: number) => void,
): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  /** Where the list was closed by a key: it stays closed for what is written there. */
  let closed: number | undefined;
  const look = (field: EventTarget | null) => {
    if (!(field instanceof (form.ownerDocument.defaultView ?? window).HTMLTextAreaElement)) return;
    const typed = typedIn(field);
    if (typed?.start !== closed) closed = undefined;
    show(typed && closed === undefined ? { field, typed } : null);
  };
  const key = (event: KeyboardEvent) => {
    const { menu, found, active } = now.current;
    const command = found[active];
    if (!menu || !command || event.target !== menu.field || event.isComposing || event.keyCode === 229) return;
    const { altKey, ctrlKey, metaKey, shiftKey } = event;
    if (altKey || ctrlKey || metaKey || shiftKey) return;
    const step = { ArrowDown: 1, ArrowUp: found.length - 1 }[event.key];
    if (step) show(menu, (active + step) % found.length);
    else if (event.key === "Escape") {
      closed = menu.typed.start;
      show(null);
    } else if (event.key === "Tab" || (event.key === "Enter" && folded(menu.typed.name) !== folded(command.name))) {
      complete(menu, command);
      show(null);
    } else return;
    // Neither the message nor what is around the chat is meant.
    event.preventDefault();
    event.stopPropagation();
  };
  const moved = () => {
    const { menu } = now.current;
    if (!menu) return;
    const typed = typedIn(menu.field);
    if (typed?.start !== menu.typed.start) show(null);
    else if (typed.prefix !== menu.typed.prefix) show({ ...menu, typed });
  };
  form.addEventListener("input", ({ target }) => look(target), { signal });
  form.addEventListener("keydown", key, { signal, capture: true });
  form.addEventListener("focusout", () => show(null), { signal });
  form.ownerDocument.addEventListener("selectionchange", moved, { signal });
  return () => listening.abort();
}

/** As if somebody had typed the rest of its name, so that it can be undone as that. */
function complete({ field, typed }: Menu, { name }: Command): void {
  const { start, end } = typed;
  const spaced = /\s/.test(field.value[end] ?? "");
  const text = `/${name}${spaced ? "" : " "}`;
  field.focus();
  field.setSelectionRange(start, end);
  // The one way that keeps what can be undone. An engine without it gets the same text.
  if (!field.ownerDocument.execCommand?.("insertText", false, text)) {
    field.setRangeText(text, start, end, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const behind = start + name.length + 2;
  field.setSelectionRange(behind, behind);
}
