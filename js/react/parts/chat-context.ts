// What the parts of one chat share: its handle, how texts are drawn, and its composer.
import { type ComponentType, type Context, createContext, type RefObject, useContext } from "react";
import { GloveError } from "../../src/values/error.js";
import type { AttachmentOptions } from "../attachments/tray.js";
import type { GloveHandle, RenderProps, TextRenderProps } from "../render/types.js";
import type { ChatView } from "./reading/scroll.js";

export interface Chat {
  readonly glove: GloveHandle;
  /** It has the look of `<Render>`. */
  readonly styled: boolean;
  /** Draws the text of an answer; `false` leaves it as it is. */
  readonly markdown: ComponentType<TextRenderProps> | boolean;
  /** Which files a message takes; `false` for none. */
  readonly attachments: AttachmentOptions | boolean;
  /** What can be done with an answer beside copying it. `tell` calls the latest function of the application. */
  readonly answers: { readonly tell: RenderProps["onFeedback"]; readonly readAloud: boolean | undefined };
  /** What Enter does where a message is written; by itself it sends, but for a keyboard on the screen. */
  readonly enter: "send" | "line" | undefined;
  /** Puts a text into the composer, where there is one, and the focus. */
  readonly compose: RefObject<((text: string) => void) | null>;
  /** Something was sent: brings the end of the conversation into sight; with `again`, the last message and the answer that comes to it. */
  readonly toEnd: RefObject<((again?: boolean) => void) | null>;
  /** What moves the list of messages, where there is one. */
  readonly view: RefObject<ChatView | null>;
  /** Which message is being edited: it goes on where that one is drawn anew. */
  readonly editing: { current: string | null };
  /** Which version of a message was asked for, and by which of two buttons. */
  readonly picked: { current: { readonly index: number; readonly button: number } | null };
}

export const ChatContext: Context<Chat | null> = /* @__PURE__ */ createContext<Chat | null>(null);

export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (!chat) throw new GloveError("CLIENT_CONFIG", "The parts of a chat must be inside a `<Thread>`.");
  return chat;
}
