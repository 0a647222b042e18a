// Whatever is passed to a hook or a component of the React layer, it works or says in a sentence what is wrong.
import { act, cleanup, render } from "@testing-library/react";
import * as react from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { Component, createElement, type ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const odd: readonly unknown[] = [null, undefined, 1n, 7, {}, [], "", () => {}, () => undefined];
const shownAs = (value: unknown) =>
  typeof value === "bigint" ? "1n" : typeof value === "function" ? "f" : (JSON.stringify(value) ?? "undefined");

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

class Catch extends Component<{ caught: (error: unknown) => void; children: ReactNode }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override componentDidCatch(error: unknown) {
    this.props.caught(error);
  }
  override render() {
    return this.state.failed ? null : this.props.children;
  }
}

const client = () =>
  new react.GloveClient({
    createModel: () => createScriptedModel(() => "Fine."),
    systemPrompt: "",
    subscribers: [{ record() {} }],
  });
const isTyped = (error: unknown) =>
  (error instanceof react.GloveError || error instanceof react.AbortError) && /^\S+ .+/.test((error as Error).message);

/** What drawing this failed with that is no typed error. */
async function faultOf(draw: () => ReactNode): Promise<unknown> {
  const faults: unknown[] = [];
  const caught = (error: unknown) => void (isTyped(error) || faults.push(error));
  const App = () => draw();
  try {
    await act(async () => {
      render(
        <Catch caught={caught}>
          <App />
        </Catch>,
      );
      await new Promise((later) => setTimeout(later, 5));
    });
  } catch (error) {
    caught(error);
  }
  cleanup();
  return faults[0];
}

async function faultsOf(name: string, draw: (value: unknown) => ReactNode): Promise<string[]> {
  const found: string[] = [];
  for (const value of odd) {
    const fault = (await faultOf(() => draw(value))) as Error | undefined;
    if (fault) found.push(`${name} with ${shownAs(value)}: ${fault.stack?.split("\n").slice(0, 3).join("")}`);
  }
  return found;
}

const provided = (children: ReactNode, props: object = {}) =>
  createElement(react.GloveProvider, { client: made, ...props } as react.GloveProviderProps, children);
let made = client();
beforeEach(() => {
  made = client();
});
afterEach(() => made.dispose());

type Hook = (...args: unknown[]) => unknown;
const exported = Object.entries(react) as unknown as [string, Hook][];
const hooks = exported.filter(([name]) => /^use[A-Z]/.test(name));
const settings = [
  ...["endpoint", "sessionId", "store", "model", "systemPrompt", "tools", "compaction", "subscribers", "getSessionId"],
  ...["persistSession", "onSessionChange", "renderers", "onUnmount"],
];

function Using({ hook, args }: { hook: Hook; args: readonly unknown[] }): ReactNode {
  hook(...args);
  return null;
}

test("there are hooks to try", () => expect(hooks.map(([name]) => name)).toContain("useGlove"));

test.each(hooks)("%s works or says what is wrong, whatever it is given", async (name, hook) => {
  const using = (...args: unknown[]) => createElement(Using, { hook, args });
  const found = [
    ...(await faultsOf(`${name} alone`, (value) => using(value))),
    ...(await faultsOf(name, (value) => provided(using(value)))),
    ...(await faultsOf(`${name}, second argument`, (value) => provided(using(() => 1, value)))),
  ];
  expect(found).toEqual([]);
});

test.each(
  hooks
    .filter(([name]) => /Glove$/.test(name))
    .flatMap(([name, hook]) => settings.map((setting) => [name, setting, hook] as const)),
)("%s works or says what is wrong, whatever its `%s` is", async (name, setting, hook) => {
  const draw = (value: unknown) => provided(createElement(Using, { hook, args: [{ systemPrompt: "", [setting]: value }] }));
  expect(await faultsOf(`${name}({ ${setting} })`, draw)).toEqual([]);
});

test.each(["client", "sessionId", "renderers", "fallback"])(
  "GloveProvider works or says what is wrong, whatever its `%s` is",
  async (prop) => {
    const Reading = () => {
      react.useGlove(({ timeline }) => timeline);
      react.useGlove();
      return null;
    };
    expect(await faultsOf(`GloveProvider ${prop}`, (value) => provided(createElement(Reading), { [prop]: value }))).toEqual([]);
  },
);

/** What is an element, or the content of one, React says itself. */
const renderProps = ["glove", "strategy", "labels", "markdown", "className", "suggestions", "renderMessage", "renderInput"];

test.each([...renderProps, "renderToolStatus", "renderStreaming", "renderError", "renderSlotContainer", "unstyled", "nonce"])(
  "Render works or says what is wrong, whatever its `%s` is",
  async (prop) => {
    const Chat = ({ value }: { value: unknown }) => {
      const glove = react.useGlove();
      return createElement(react.Render, { glove, [prop]: value } as unknown as react.RenderProps);
    };
    expect(await faultsOf(`Render ${prop}`, (value) => provided(createElement(Chat, { value })))).toEqual([]);
  },
);
