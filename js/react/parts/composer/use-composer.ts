// What the composer around a part does.
import { type Context, createContext, useContext } from "react";
import { codeOf } from "../../../src/values/error.js";
import { engineOfHandle, useHandlePart } from "../../hooks/handle-registry.js";
import type { GloveHandle, InputRenderProps } from "../../render/types.js";
import { ChatContext } from "../chat-context.js";

/** What a composer does where an application says it; else what the handle of its chat does. */
export const ComposerContext: Context<InputRenderProps | null> = /* @__PURE__ */ createContext<InputRenderProps | null>(null);

const nobody = { busy: false } as GloveHandle;

interface Composing extends InputRenderProps {
  readonly sessionId: string;
  /** What is sent reaches the session at once. */
  readonly ready: boolean;
  /** Something that was sent waits. */
  readonly waits: boolean;
  /** It is written down by then. */
  readonly written: boolean;
}

export function useComposer(): Composing {
  const own = useContext(ComposerContext);
  const glove = useContext(ChatContext)?.glove ?? nobody;
  const busy = useHandlePart(glove, ({ busy }) => busy);
  const sessionId = useHandlePart(glove, ({ sessionId }) => sessionId ?? "");
  const ready = useHandlePart(glove, ({ sessionReady }) => sessionReady ?? true);
  const waits = useHandlePart(glove, ({ queue }) => Boolean(queue?.length));
  const written = useHandlePart(glove, ({ error }) => !/^STORE_/.test(codeOf(error)));
  const keeps = engineOfHandle(glove)?.getState().session?.store.keepSent !== undefined;
  const of = own ?? { send: glove.sendMessage, busy, abort: glove.abort };
  return { ...of, sessionId, ready, waits, written: written && keeps };
}

/** By the form of a composer: sends its files with a text. False while some are on their way, and nothing where there are none. */
export const takers = new WeakMap<Element, (text: string) => boolean | undefined>();

/** What a hook has stopped, or has failed at, is not sent: it is there to be changed. */
export function takeBack(sent: unknown, again: () => void): void {
  if (sent instanceof Promise) sent.catch((error: Error) => /^(HOOK|SKILL)_/.test(codeOf(error)) && again());
}
