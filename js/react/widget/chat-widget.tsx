// The button in the corner of a site, and the panel that it opens.
import { type ComponentType, type CSSProperties, type ReactNode, useContext, useEffect, useId, useRef, useState } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { useWords } from "../languages/words.js";
import { css as base } from "../look/generated/base-css.js";
import { css } from "../look/generated/widget-css.js";
import { onBack } from "../look/on-back.js";
import { Sheet } from "../look/sheet.js";
import { Icon } from "../parts/icons.js";
import { LabelsContext, useLabels } from "../render/labels.js";
import type { GloveHandle, RenderProps } from "../render/types.js";
import { enter, leave, rootOf } from "./focus.js";
import { keep, kept } from "./kept.js";
import { NearestNews, NewsOf, type UseNearest } from "./news.js";

/** What `ChatWidget` takes: what `<Render>` takes too, and this. */
export interface ChatWidgetProps extends Omit<RenderProps, "glove" | "as" | "rootRef" | "unstyled" | "className" | "style"> {
  /** What `useGlove` gave; without it, the conversation of the provider, which is opened with the panel. */
  glove?: GloveHandle | undefined;
  /** Whether the panel is open, where the application says so. */
  open?: boolean | undefined;
  /** Called when a person opens or closes the panel. */
  onOpenChange?: ((open: boolean) => void) | undefined;
  /** Keeps for this tab whether it is open: the next page of the site, and a reload, show it so. A run goes on there too. */
  remember?: boolean | undefined;
  /** The corner: `end`, the default, is the right one where text runs from left to right. */
  position?: "end" | "start" | undefined;
  /** The name of the button and the head of the panel; "Chat" by default. */
  label?: string | undefined;
  /** The number on the button, in place of its own count of answers and questions that came while the panel was closed. */
  unread?: number | undefined;
  /** A class of the element around both, which has no box. */
  className?: string | undefined;
  /** Its inline style: variables of the look, say. */
  style?: CSSProperties | undefined;
  /** What the panel shows in place of `<Render>`; it is drawn when that is first opened. */
  children?: ReactNode;
}

/** What it is given by what loads it. */
interface LoadedProps extends ChatWidgetProps {
  readonly Conversation: ComponentType<{ readonly children: (glove: GloveHandle) => ReactNode }>;
  readonly Chat: (props: RenderProps) => ReactNode;
  readonly useNearest: UseNearest | undefined;
}

export function LoadedChatWidget(props: LoadedProps): ReactNode {
  const around = useContext(LabelsContext);
  const words = useWords(props.lang, props.labels ?? around);
  return (
    <LabelsContext.Provider value={words}>
      <Widget {...props} />
    </LabelsContext.Provider>
  );
}

const bubble = "M12 4c-4.7 0-8.5 3.1-8.5 7 0 2.3 1.3 4.4 3.4 5.7v3.8l3.7-2.6c.5.1.9.1 1.4.1 4.7 0 8.5-3.1 8.5-7S16.7 4 12 4z";

function Widget(props: LoadedProps): ReactNode {
  const { glove, open: given, onOpenChange, remember, position = "end", label, unread: told, children, ...rest } = props;
  const { className, style, Conversation, Chat, useNearest, ...chat } = rest;
  const say = useLabels();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const [own, setOwn] = useState(false);
  const open = given ?? own;
  // Once it was open the chat stays, so that its run goes on.
  const [begun, setBegun] = useState(open);
  if (open && !begun) setBegun(true);
  const [came, setCame] = useState(0);
  if (open && came > 0) setCame(0);
  const [runs, setRuns] = useState(false);
  const [before, setBefore] = useState<ReturnType<typeof kept> | null>(null);
  const asItWas = useRef(false);
  const change = (to: boolean) => {
    asItWas.current = false;
    setOwn(to);
    onOpenChange?.(to);
  };

  useBrowserLayoutEffect(() => {
    if (!remember || before !== null) return;
    const was = kept();
    setBefore(was);
    if (!was) return;
    setRuns(was.runs);
    setCame(was.unread);
    if (was.runs) setBegun(true);
    if (!was.open || open) return;
    change(true);
    asItWas.current = true;
  });
  const knows = remember && before !== null;
  useEffect(() => {
    if (knows) keep({ open, runs, unread: came });
  }, [knows, open, runs, came]);

  const shown = useRef(open);
  const from = useRef<Element | null>(null);
  useBrowserLayoutEffect(() => {
    if (panel.current) panel.current.inert = !open;
    if (shown.current === open) return;
    shown.current = open;
    // Nobody has asked for it on this page.
    const isOld = asItWas.current;
    asItWas.current = false;
    if (!open) return leave(panel.current, from.current, button.current);
    from.current = null;
    if (isOld || !panel.current) return;
    from.current = rootOf(panel.current).activeElement;
    return enter(panel.current);
  }, [open, begun]);

  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !open || event.defaultPrevented || event.isComposing) return;
    event.preventDefault();
    change(false);
  };
  const latestKey = useRef(keyDown);
  const latest = useRef(change);
  useEffect(() => {
    latestKey.current = keyDown;
    latest.current = change;
  });
  // As a whole screen, it is left as one.
  useEffect(() => {
    if (!open || !panel.current || panel.current.offsetWidth < innerWidth) return;
    return onBack(() => latest.current(false));
  }, [open]);

  // What had the focus may be gone, as a button is that was pressed.
  useEffect(() => {
    const page = button.current?.ownerDocument;
    const onPage = (event: KeyboardEvent) => event.target === page?.body && latestKey.current(event);
    page?.addEventListener("keydown", onPage);
    return () => page?.removeEventListener("keydown", onPage);
  }, []);
  const name = label ?? say("Chat");
  const unread = open ? 0 : (told ?? came);
  const news = unread > 0 && say("New answers: {n}", { n: unread });
  const follow = {
    ran: before?.runs ?? false,
    came: () => open || setCame((count) => count + 1),
    runs: setRuns,
  };
  const draw = (glove: GloveHandle) => (
    <>
      {children ?? <Chat {...chat} glove={glove} />}
      <NewsOf glove={glove} {...follow} />
    </>
  );
  return (
    <section
      aria-label={name}
      data-glove-look=""
      data-glove-widget={position}
      data-state={open ? "open" : "closed"}
      lang={chat.lang}
      className={className}
      style={style}
      onKeyDown={(event) => !event.defaultPrevented && keyDown(event.nativeEvent)}
    >
      <Sheet nonce={chat.nonce} css={base} first />
      <Sheet nonce={chat.nonce} css={css} />
      <button
        ref={button}
        type="button"
        data-glove-launcher=""
        aria-label={news ? `${name}. ${news}` : name}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={begun ? id : undefined}
        onClick={() => change(!open)}
      >
        <Icon name={bubble} />
        <Icon name="M6 9.5l6 6 6-6" />
        {unread > 0 && <span data-glove-count="">{unread > 99 ? "99+" : unread}</span>}
      </button>
      <div role="status" data-glove-label="">
        {news}
      </div>
      {begun && (
        <section ref={panel} id={id} role="dialog" aria-label={name} tabIndex={-1} data-glove-panel="">
          <header>
            <h2 dir="auto">{name}</h2>
            <button
              type="button"
              data-glove-close=""
              title={say("Close")}
              aria-label={say("Close")}
              onClick={() => change(false)}
            >
              <Icon name="remove" />
            </button>
          </header>
          <div data-glove-panel-body="">
            {glove ? draw(glove) : children === undefined ? <Conversation>{draw}</Conversation> : children}
            {!glove && children !== undefined && useNearest && <NearestNews useNearest={useNearest} {...follow} />}
          </div>
        </section>
      )}
    </section>
  );
}
