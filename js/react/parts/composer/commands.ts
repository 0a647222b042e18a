// What the composer knows of commands: whether there are any. Their list comes later.
import { createElement, type ReactNode, useContext, useSyncExternalStore } from "react";
import type { Command } from "../../commands/list.js";
import type { ComposerCommandsProps } from "../../commands/menu.js";
import { engineOfHandle } from "../../hooks/handle-registry.js";
import { Loader } from "../../look/loader.js";
import { ChatContext } from "../chat-context.js";

const menu = /* @__PURE__ */ new Loader(() => import("../../commands/menu.js"));
const Late = /* @__PURE__ */ menu.component("CommandMenu");

/** The list of what `/` and some letters may mean, for a `Composer`. Nothing where the chat has no skills and no hooks. */
export function ComposerCommands(props: ComposerCommandsProps): ReactNode {
  const glove = useContext(ChatContext)?.glove;
  const engine = glove && engineOfHandle(glove);
  const read = () => (engine?.getState() ?? glove)?.commands ?? none;
  const commands = useSyncExternalStore(engine?.subscribe ?? never, read, () => none);
  return commands.length > 0 && createElement(Late, { ...props, commands });
}

const none: readonly Command[] = [];
const never = () => () => {};
