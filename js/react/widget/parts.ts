// `<ChatWidget>`: its button and its panel are loaded when it is first shown, and what draws the chat when that is first opened.
import { createElement, type ReactNode, useContext } from "react";
import { GloveContext } from "../hooks/glove-context.js";
import type { UseGloveReturn } from "../hooks/glove-types.js";
import { useGlove } from "../hooks/use-glove.js";
import { Loader } from "../look/loader.js";
import { Render } from "../render/render.js";
import type { ChatWidgetProps } from "./chat-widget.js";

const widget = /* @__PURE__ */ new Loader(() => import("./index.js"), true);

/** Loads the button and the panel of `<ChatWidget>` ahead: for a server that renders to one string, and for tests. */
export async function preloadChatWidget(): Promise<void> {
  await widget.load();
}

const Loaded = /* @__PURE__ */ widget.component("LoadedChatWidget");

/** Opens the conversation of the provider, which nothing has done before. */
const Conversation = ({ children }: { readonly children: (glove: UseGloveReturn) => ReactNode }): ReactNode =>
  children(useGlove());

/** A round button in the corner of a site, which opens the chat in a panel: on phones, on all of the screen. */
// What is loaded is given what opens and draws a conversation: by importing it, it would bring it into pages that have no widget.
export const ChatWidget = (props: ChatWidgetProps): ReactNode => {
  const useNearest = useContext(GloveContext) ? useGlove : undefined;
  return createElement(Loaded, { ...props, useNearest, Conversation, Chat: Render });
};
