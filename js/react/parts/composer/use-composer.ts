// What the composer around a part does.
import { type Context, createContext, useContext } from "react";
import { useHandlePart } from "../../hooks/handle-registry.js";
import type { GloveHandle, InputRenderProps } from "../../render/types.js";
import { ChatContext } from "../chat-context.js";

/** What a composer does where an application says it; else what the handle of its chat does. */
export const ComposerContext: Context<InputRenderProps | null> = /* @__PURE__ */ createContext<InputRenderProps | null>(null);

const nobody = { busy: false } as GloveHandle;

export function useComposer(): InputRenderProps & { readonly sessionId: string } {
  const own = useContext(ComposerContext);
  const glove = useContext(ChatContext)?.glove ?? nobody;
  const busy = useHandlePart(glove, ({ busy }) => busy);
  const sessionId = useHandlePart(glove, ({ sessionId }) => sessionId ?? "");
  const of = own ?? { send: glove.sendMessage, busy, abort: glove.abort };
  return { ...of, sessionId };
}

/** By the form of a composer: sends its files with a text. False while some are on their way, and nothing where there are none. */
export const takers = new WeakMap<Element, (text: string) => boolean | undefined>();
