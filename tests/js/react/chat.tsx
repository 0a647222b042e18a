// A chat with all defaults over the real core, and a tool that asks in it.
import { fireEvent, render, screen } from "@testing-library/react";
import {
  type GloveClientConfig,
  GloveProvider,
  Render,
  type RenderProps,
  type ToolConfig,
  type UseGloveConfig,
  type UseGloveReturn,
  useGlove,
} from "glove-wasm/react";
import type { ScriptedAnswer } from "glove-wasm/testing";
import { clientOf, nothing } from "./page.js";

interface Chat {
  readonly glove: UseGloveReturn;
  readonly container: HTMLElement;
  send(text: string): void;
}

export function chat(
  script: readonly ScriptedAnswer[],
  options: { client?: Partial<GloveClientConfig>; config?: UseGloveConfig; render?: Partial<RenderProps> } = {},
): Chat {
  const { client } = clientOf(script, options.client);
  let latest: UseGloveReturn | undefined;
  const Page = () => {
    const glove = useGlove(options.config);
    latest = glove;
    return <Render glove={glove} {...options.render} />;
  };
  const { container } = render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  return {
    get glove() {
      return latest as UseGloveReturn;
    },
    container,
    send(text) {
      const field = screen.getByRole("textbox", { name: "Message" });
      field.focus();
      fireEvent.change(field, { target: { value: text } });
      fireEvent.keyDown(field, { key: "Enter" });
    },
  };
}

/** A tool that shows something by the name of a renderer. */
export const asks = (renderer: string, input: unknown, more: Partial<ToolConfig> = {}): ToolConfig => ({
  name: "ask",
  description: "",
  inputSchema: nothing,
  do: (_, display) => display.pushAndWait({ renderer, input }),
  ...more,
});

export const call = { toolCalls: [{ name: "ask", id: "c1" }] };
export const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
