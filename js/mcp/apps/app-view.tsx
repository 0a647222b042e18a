// The card of an app: the question whether it may be drawn, its frame, and what it asks of the person. Loaded with the first app.
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from "react";
import { useBrowserLayoutEffect } from "../../react/hooks/use-browser-layout-effect.js";
import { useLabels } from "../../react/render/labels.js";
import type { SlotProps } from "../../react/renderers/props.js";
import { Question } from "../../react/renderers/question.js";
import { Name } from "../../react/text/visible.js";
import type { GloveSession } from "../../src/session/session.js";
import type { ToolEntry } from "../../src/snapshot/snapshot.js";
import { callForApp } from "./app-call.js";
import { AppFrame, type AppPort } from "./frame.js";
import type { AppServer, AppSlot, AppsOfPage } from "./host.js";
import { hostContextOf, watchContext } from "./host-context.js";
import type { AppText } from "./kept-apps.js";
import { moveInto, park, unpark } from "./parked.js";
import { answerOf, hashIn, shownOf } from "./shown.js";
import { useApp } from "./use-app.js";

interface OfConversation {
  /** The call that the app shows. */
  readonly entry: ToolEntry | undefined;
  /** Whether a person is asked something in the chat. */
  readonly asks: boolean;
}

interface AppViewProps extends SlotProps, OfConversation {
  readonly apps: AppsOfPage;
  readonly session: GloveSession | null;
  /** The model still writes the call. */
  readonly written?: { readonly input: unknown };
}

export function AppView({ data, apps, session, entry, asks, written }: AppViewProps): ReactNode {
  const say = useLabels();
  const slot = data as AppSlot;
  const { state, allow, again } = useApp(apps, slot, hashIn(entry));
  const [ended, setEnded] = useState<{ readonly reason: string | undefined }>();
  const { server } = slot;
  // Whatever is to be said or asked of an app comes with its call.
  if (state.state === "loading" || (written && (state.state !== "drawn" || ended))) return null;
  if (state.state === "unknown") return <p role="status">{say("This page knows no such server. Reload it, and try again.")}</p>;
  const failed = state.state === "failed" ? state.reason : ended?.reason;
  if (failed !== undefined || ended)
    return (
      <div data-glove-app="ended">
        {failed !== undefined && (
          <p role="alert">
            <Name of={say("The app is not shown: {reason}", { reason: failed })} lines />
          </p>
        )}
        <button
          type="button"
          onClick={() => {
            setEnded(undefined);
            again();
          }}
        >
          {say("Try again")}
        </button>
      </div>
    );
  if (state.state === "asks")
    return (
      <Question
        message={say(
          state.before
            ? 'The server "{server}" has changed its app since you allowed it.'
            : 'The server "{server}" wants to show an app here.',
          { server },
        )}
        status="pending"
        onSubmit={allow}
        actions={<button type="submit">{say("Show the app")}</button>}
      >
        <Reach app={state.app} />
      </Question>
    );
  if (state.state !== "drawn" || !session) return null;
  return (
    <Drawn
      key={state.app.hash}
      {...{ slot, session, entry, asks, apps, written, ended: setEnded }}
      app={state.app}
      client={state.client}
    />
  );
}

/** All of what it may reach, so that whoever allows it knows. */
function Reach({ app: { reach } }: { readonly app: AppText }): ReactNode {
  const say = useLabels();
  const hosts = [...new Set([...reach.connect, ...reach.load, ...reach.frames])];
  if (hosts.length === 0) return <p>{say("It reaches nothing but this server.")}</p>;
  return (
    <p>
      <Name of={say("It may send to and load from: {hosts}", { hosts: hosts.join(", ") })} lines />
    </p>
  );
}

// ---- an app that is drawn --------------------------------------------------------------------------------------------

interface DrawnProps extends OfConversation {
  readonly slot: AppSlot;
  readonly app: AppText;
  readonly client: AppServer;
  readonly session: GloveSession;
  readonly apps: AppsOfPage;
  readonly written: AppViewProps["written"];
  readonly ended: (end: { readonly reason: string | undefined }) => void;
}

/** What an app asks of the person; others wait behind it. */
interface Wish {
  readonly id: number;
  readonly kind: "message" | "link";
  readonly text: string;
  readonly decide: (allowed: boolean) => void;
}

const mostWishes = 3;
const heights = { least: 40, first: 240, most: 720 };

function Drawn({ slot, app, client, session, entry, asks, apps, written, ended }: DrawnProps): ReactNode {
  const say = useLabels();
  const { server, call } = slot;
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<AppFrame>(undefined);
  const [height, setHeight] = useState(heights.first);
  const [isFull, setFull] = useState(false);
  const [wishes, setWishes] = useState<readonly Wish[]>([]);
  const [told, setTold] = useState("");
  const made = useRef(0);
  const wishesMade = useRef(0);
  const now = useRef({ entry, isFull, wishes, asks, written });
  const title = say("App of {server}", { server });

  const wish = (kind: Wish["kind"], text: string) =>
    new Promise<boolean>((resolve) => {
      if (now.current.wishes.length >= mostWishes) return resolve(false);
      const one: Wish = {
        id: ++wishesMade.current,
        kind,
        text,
        decide: (allowed) => {
          setWishes((before) => before.filter((other) => other !== one));
          resolve(allowed);
        },
      };
      setWishes((before) => [...before, one]);
    });

  const port = (element: HTMLElement): AppPort => ({
    isEarly: written !== undefined,
    shown: () => shownOf(now.current.entry, now.current.written),
    context: () => hostContextOf(element, now.current.isFull, heights.most),
    call: async (tool, input, signal) => {
      const info = (await client.appTools()).find((one) => one.tool === tool);
      if (!info) throw new Error(`The server has no tool "${tool}" that its apps may call.`);
      if (made.current >= apps.maxCalls) throw new Error(`The app has made ${apps.maxCalls} calls, and may make no more.`);
      made.current++;
      return answerOf(await callForApp(session, server, { name: info.name, input }, signal), tool);
    },
    read: (uri, signal) => client.readForApp(uri, signal),
    send: async (text) => {
      const may = await wish("message", text);
      // What comes of it is in the conversation.
      if (may) session.sendMessage(text).catch(() => {});
      return may;
    },
    open: async (url) => (isLink(url) ? wish("link", url) : false),
    tell: (text) => {
      // The model is asked in another one, which knows nothing of it.
      if (session.getSnapshot().tab !== "leader") throw new Error("This conversation runs in another tab.");
      apps.tell(server, session.sessionId, call, text);
      setTold(text.slice(0, 2_000));
    },
    sized: (wanted) => setHeight(Math.round(Math.min(Math.max(wanted, heights.least), heights.most))),
    display: (mode) => {
      // It covers the page: somebody has to have asked for that, and nothing else may wait for them.
      const full =
        mode === "fullscreen" && !now.current.asks && (now.current.isFull || navigator.userActivation?.isActive !== false);
      now.current = { ...now.current, isFull: full };
      setFull(full);
      return full ? "fullscreen" : "inline";
    },
    ended: (reason) => ended({ reason }),
  });

  useBrowserLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const key = `${session.sessionId} ${call} ${app.hash}`;
    const own = unpark(key) ?? new AppFrame(app, apps.page, title, port(element));
    own.follow(port(element));
    frame.current = own;
    moveInto(element, own.element);
    const unwatch = watchContext(element, () => own.update());
    return () => {
      unwatch();
      own.follow({ ...port(element), ended: () => {}, shown: () => undefined });
      if (own.element.isConnected) park(key, own);
      // The page has taken it away before: nothing can be drawn of it again.
      else own.stop(undefined);
      // Nobody sees them any more.
      for (const one of now.current.wishes) one.decide(false);
      frame.current = undefined;
    };
  }, []);

  useEffect(() => {
    now.current = { entry, isFull, wishes, asks, written };
    frame.current?.update();
  }, [entry, isFull, wishes, asks, written]);

  useEffect(() => {
    if (!isFull) return undefined;
    const leave = ({ key }: KeyboardEvent) => key === "Escape" && setFull(false);
    addEventListener("keydown", leave);
    return () => removeEventListener("keydown", leave);
  }, [isFull]);

  // What a person is asked stands in the conversation, which it would cover.
  useEffect(() => {
    if (asks) setFull(false);
  }, [asks]);

  const [first] = wishes;
  return (
    <div data-glove-app={isFull ? "full" : "inline"} style={isFull ? fullStyle : undefined}>
      <div style={barStyle}>
        <small>
          <Name of={title} />
        </small>
        <button type="button" data-glove-weight="quiet" aria-expanded={isFull} onClick={() => setFull(!isFull)}>
          {say(isFull ? "Leave full screen" : "Full screen")}
        </button>
      </div>
      <div ref={place} style={isFull ? { flex: 1, minHeight: 0 } : { height }} />
      {first && <WishView key={first.id} wish={first} />}
      {told !== "" && (
        <details>
          <summary>{say("What the app tells the assistant")}</summary>
          <Name of={told} lines />
        </details>
      )}
    </div>
  );
}

const fullStyle: CSSProperties = {
  position: "fixed",
  inset: 0,
  zIndex: 2_147_483_000,
  display: "flex",
  flexDirection: "column",
  padding: "0.5rem",
  background: "var(--_background, Canvas)",
};

const barStyle: CSSProperties = { display: "flex", alignItems: "center", justifyContent: "space-between", gap: "0.5rem" };

/** Only what is safe to lead a person to. */
function isLink(url: unknown): url is string {
  if (typeof url !== "string" || url.length > 2_000 || !URL.canParse(url)) return false;
  const address = new URL(url);
  return address.protocol === "https:" && !address.username && !address.password;
}

/** In milliseconds: the second press of a double one, meant for what stood there before, comes sooner. */
const unread = 800;

/** All of it is shown, and nothing is done before somebody has seen it. */
function WishView({ wish: { kind, text, decide } }: { readonly wish: Wish }): ReactNode {
  const say = useLabels();
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), unread);
    return () => clearTimeout(timer);
  }, []);
  const isLinkWish = kind === "link";
  const message = isLinkWish
    ? say("The app wants to open an address of {host}.", { host: new URL(text).host })
    : say("The app wants to send this as your message:");
  return (
    <Question
      message={message}
      status="pending"
      onSubmit={() => {
        // A form is also sent by Enter.
        if (!isSeen) return;
        if (isLinkWish) open(new URL(text).href, "_blank", "noopener,noreferrer");
        decide(true);
      }}
      actions={
        <>
          <button type="button" data-glove-weight="quiet" onClick={() => decide(false)}>
            {say("Decline")}
          </button>
          <button type="submit" disabled={!isSeen}>
            {say(isLinkWish ? "Open the address" : "Send it")}
          </button>
        </>
      }
    >
      <p style={{ maxHeight: "12rem", overflow: "auto" }}>
        <Name of={text} lines />
      </p>
    </Question>
  );
}
