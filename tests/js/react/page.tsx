// Pages for tests: components over the real core, with a model that answers from a script.
import { act, render, waitFor } from "@testing-library/react";
import {
  GloveClient,
  type GloveClientConfig,
  GloveProvider,
  type GloveSnapshot,
  type UseGloveConfig,
  type UseGloveReturn,
  useGlove,
} from "glove-wasm/react";
import { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from "glove-wasm/testing";
import { type ReactNode, StrictMode } from "react";
import { expect } from "vitest";
import { z } from "zod";

export function clientOf(script: readonly ScriptedAnswer[], config: Partial<GloveClientConfig> = {}) {
  const model: ScriptedModel = createScriptedModel(script);
  const client = new GloveClient({ createModel: () => model, systemPrompt: "You are a test.", ...config });
  return { client, model };
}

export interface Shown {
  /** The latest handle. */
  readonly glove: UseGloveReturn;
  rerender(config?: UseGloveConfig): void;
  unmount(): void;
}

/** A component that reads everything. */
export function show(client: GloveClient, first: UseGloveConfig = {}, { strict = false } = {}): Shown {
  let latest: UseGloveReturn | undefined;
  const Page = ({ config }: { config: UseGloveConfig }) => {
    const glove = useGlove(config);
    latest = { ...glove };
    return null;
  };
  const tree = (config: UseGloveConfig): ReactNode => {
    const page = (
      <GloveProvider client={client}>
        <Page config={config} />
      </GloveProvider>
    );
    return strict ? <StrictMode>{page}</StrictMode> : page;
  };
  const { rerender, unmount } = render(tree(first));
  return {
    get glove() {
      return latest as UseGloveReturn;
    },
    rerender: (config = {}) => rerender(tree(config)),
    unmount,
  };
}

export async function until(shown: Shown, fits: (glove: UseGloveReturn) => boolean): Promise<void> {
  await waitFor(() => expect(fits(shown.glove), JSON.stringify(texts(shown.glove))).toBe(true));
}

export const ready = (shown: Shown) => until(shown, (glove) => glove.sessionReady);
export const settled = (shown: Shown) => until(shown, (glove) => glove.sessionReady && !glove.busy);

/** Sends and waits for the end. */
export async function say(shown: Shown, text: string): Promise<void> {
  await act(async () => {
    await shown.glove.sendMessage(text);
  });
  await settled(shown);
}

/** Sends and goes on. Gives what waits for the end. */
export function begin(shown: Shown, text: string): Promise<unknown> {
  let sent: Promise<unknown> = Promise.resolve();
  act(() => {
    sent = shown.glove.sendMessage(text);
  });
  return sent;
}

export function texts({ timeline }: Pick<GloveSnapshot, "timeline">): string[] {
  return timeline.map((entry) => {
    if (entry.kind === "tool") return `${entry.name}: ${entry.status}${entry.output === undefined ? "" : ` ${entry.output}`}`;
    return `${entry.kind}: ${entry.kind === "compaction" ? "" : entry.text}`.trim();
  });
}

export const nothing = z.object({});

/** Waits as long as something that must not happen would take. */
export const moment = (ms = 30) => act(() => new Promise<void>((resolve) => setTimeout(resolve, ms)));

/** A promise and its end. */
export function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
