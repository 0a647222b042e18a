// Tools of several components and of their client in one conversation: they add up.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { defineTool } from "glove-wasm";
import { GloveProvider, Render, type ToolConfig, useGlove } from "glove-wasm/react";
import { type ReactNode, StrictMode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { clientOf, moment } from "./page.js";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const tool = (name: string, says = name): ToolConfig => ({
  name,
  description: `Does ${name}.`,
  jsonSchema: { type: "object" },
  do: async () => says,
});
const calls = (...names: string[]) => [{ toolCalls: names.map((name) => ({ name })) }, "Well."];

function scene(script: Parameters<typeof clientOf>[0], tools?: ToolConfig[]) {
  const events: { code: string; message: string }[] = [];
  const subscriber = { record: (type: string, data: never) => void (type === "error" && events.push(data)) };
  const { client, model } = clientOf(script, { ...(tools && { tools }), subscribers: [subscriber] });
  const draw = (children: ReactNode) => <GloveProvider client={client}>{children}</GloveProvider>;
  const session = () => client.session("s");
  const names = () => session().config.tools?.map(({ name }) => name);
  const say = () => act(async () => void (await session().sendMessage("Hi")));
  const results = () =>
    session()
      .getSnapshot()
      .timeline.flatMap((entry) => (entry.kind === "tool" ? [entry.output] : []));
  return { client, model, events, draw, session, names, say, results };
}

/** A component with tools of its own in the one conversation. */
function Gives({ tools, children }: { tools?: readonly ToolConfig[]; children?: ReactNode }) {
  useGlove({ sessionId: "s", ...(tools && { tools }) });
  return children;
}

test("the tools of two components and those of the client are all there, and run", async () => {
  const [a, b, c] = [tool("a"), tool("b"), tool("c")];
  const at = scene(calls("a", "b", "c"), [c]);
  const { rerender } = render(
    at.draw(
      <>
        <Gives tools={[a]} />
        <Gives tools={[b]} />
      </>,
    ),
  );
  await moment();
  expect(at.names()).toEqual(["c", "a", "b"]);
  await at.say();
  expect(at.results()).toEqual(["a", "b", "c"]);
  expect(at.model.calls[0]?.tools).toEqual(expect.arrayContaining(["a", "b", "c"]));
  // The one is gone, and what it gave too.
  rerender(
    at.draw(
      <>
        <Gives tools={[a]} />
        {null}
      </>,
    ),
  );
  await moment();
  expect(at.names()).toEqual(["c", "a"]);
  expect(at.events).toEqual([]);
});

test("one definition is one tool: in StrictMode, in two components, in the client, and written anew with each render", async () => {
  const [a, d] = [tool("a"), tool("d")];
  const at = scene(calls("a"), [a]);
  const Inline = ({ says }: { says: string }) => {
    const typed = defineTool({ name: "typed", description: "", inputSchema: z.object({}), do: () => says });
    return <Gives tools={[tool("b", says), typed]} />;
  };
  // What it does is one function; how it is drawn is written in the component.
  const Drawn = () => <Gives tools={[{ ...d, render: () => null }]} />;
  const tree = (says: string) => (
    <StrictMode>
      {at.draw(
        <>
          <Gives tools={[a]} />
          <Gives tools={[a]} />
          <Inline says={says} />
          <Drawn />
          <Drawn />
        </>,
      )}
    </StrictMode>
  );
  const { rerender } = render(tree("one"));
  rerender(tree("two"));
  await moment();
  expect(at.names()).toEqual(["a", "b", "typed", "d"]);
  expect(await at.session().config.tools?.[1]?.do({}, {} as never)).toBe("two");
  expect(at.events).toEqual([]);
});

test("tools of one text that do different things are two: the first goes on to hold, and the second is refused", async () => {
  const removed: string[] = [];
  const Row = ({ id }: { id: string }) => (
    <Gives
      tools={[
        { name: "remove", description: "Removes it.", jsonSchema: { type: "object" }, do: async () => void removed.push(id) },
      ]}
    />
  );
  const at = scene(calls("remove"));
  render(
    at.draw(
      <>
        <Row id="one" />
        <Row id="two" />
      </>,
    ),
  );
  await moment();
  expect(at.events).toEqual([{ code: "TOOL_NAME_TAKEN", message: expect.stringContaining('called "remove"') }]);
  await at.say();
  expect(removed).toEqual(["one"]);
});

test("a hook of two components that writes its tool inline is told how to mend it, and a tool outside of it is one", async () => {
  const at = scene(calls("look"));
  const define = (says: string) => defineTool({ name: "look", description: "Looks.", inputSchema: z.object({}), do: () => says });
  const useInline = () => useGlove({ sessionId: "s", tools: [define("inline")] });
  const Inline = () => void useInline();
  const outside = define("outside");
  const useOutside = () => useGlove({ sessionId: "s", tools: [outside] });
  const Outside = () => void useOutside();
  const { rerender } = render(at.draw([<Inline key="1" />, <Inline key="2" />]));
  await moment();
  expect(at.events.map(({ code }) => code)).toEqual(["TOOL_NAME_TAKEN"]);
  for (const words of ["write `defineTool` outside of the component or hook", "`useMemo`", "rename one of them"]) {
    expect(at.events[0]?.message).toContain(words);
  }
  // No person reads of it, and the conversation goes on.
  expect(at.session().getSnapshot().error).toBe(undefined);
  rerender(at.draw([<Outside key="3" />, <Outside key="4" />]));
  await moment();
  expect(at.events).toHaveLength(1);
  await at.say();
  expect(at.results()).toEqual(["outside"]);
});

test("a call that a person approves runs the tool that was shown, also when its component has gone and another one has that name", async () => {
  const ran: string[] = [];
  const pay = (whom: string): ToolConfig => ({
    ...tool("pay"),
    description: `Pays ${whom}.`,
    title: `Pay ${whom}`,
    requireApproval: true,
    do: async () => void ran.push(whom),
  });
  const [first, second] = [pay("Ann"), pay("Bob")];
  const at = scene([...calls("pay").slice(0, 1), "Well.", ...calls("pay").slice(0, 1), "Well."]);
  const tree = (isThere: boolean) =>
    at.draw(
      <>
        {isThere && <Gives tools={[first]} />}
        <Gives tools={[second]} />
      </>,
    );
  const { rerender } = render(tree(true));
  await moment();
  const { session } = at;
  const approves = async () => {
    await vi.waitFor(() => expect(session().getSnapshot().approvals).toHaveLength(1));
    const entry = session().getSnapshot().timeline.at(-1);
    return () => {
      void session().approve(session().getSnapshot().approvals[0]?.id ?? "");
      return (entry as { title?: string }).title;
    };
  };
  let sending = session().sendMessage("Pay Ann");
  let approve = await approves();
  rerender(tree(false));
  await moment();
  expect(approve()).toBe("Pay Ann");
  await act(async () => void (await sending));
  expect(ran).toEqual(["Ann"]);
  // Nothing runs with the first one any more.
  await moment();
  expect(at.names()).toEqual(["pay"]);
  sending = session().sendMessage("Pay Bob");
  approve = await approves();
  expect(approve()).toBe("Pay Bob");
  await act(async () => void (await sending));
  expect(ran).toEqual(["Ann", "Bob"]);
});

test("two different tools of one name are refused by their name, and the first goes on to hold", async () => {
  const at = scene(calls("Pay"), [tool("Pay", "of the client")]);
  const other: ToolConfig = { ...tool("pay", "of the component"), do: () => "of the component" };
  render(at.draw(<Gives tools={[other, tool("b")]} />));
  await moment();
  expect(at.names()).toEqual(["Pay", "b"]);
  expect(at.events).toEqual([{ code: "TOOL_NAME_TAKEN", message: expect.stringContaining('called "pay"') }]);
  await at.say();
  expect(at.results()).toEqual(["of the client"]);
});

test("modules that are loaded anew change a tool in all components one after the other, without a word", async () => {
  const at = scene(calls("a"));
  const tree = (tools: readonly ToolConfig[]) =>
    at.draw(
      <>
        <Gives tools={tools} />
        <Gives tools={tools} />
      </>,
    );
  const { rerender } = render(tree([tool("a")]));
  await moment();
  rerender(tree([{ ...tool("a"), description: "Otherwise.", do: () => "anew" }]));
  await moment();
  expect(at.events).toEqual([]);
  await at.say();
  expect(at.results()).toEqual(["anew"]);
});

test("what a component gave goes on in a run that has begun with it, and is gone after that", async () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const slow: ToolConfig = { ...tool("slow"), do: () => opened.then(() => "slow") };
  const at = scene([{ toolCalls: [{ name: "slow" }] }, { toolCalls: [{ name: "slow" }] }, "Well."]);
  const { rerender } = render(
    at.draw(
      <>
        <Gives />
        <Gives tools={[slow]} />
      </>,
    ),
  );
  await moment();
  const sending = at.session().sendMessage("Hi");
  await vi.waitFor(() => expect(at.session().getSnapshot().run.phase).toBe("tools"));
  rerender(
    at.draw(
      <>
        <Gives />
        {null}
      </>,
    ),
  );
  await moment();
  expect(at.names()).toEqual(["slow"]);
  open();
  await act(async () => void (await sending));
  expect(at.results()).toEqual(["slow", "slow"]);
  await moment();
  expect(at.names()).toEqual([]);
});

test("one component draws what the tool of another one asks", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const asks: ToolConfig = {
    ...tool("asks"),
    do: (_, display) => display.pushAndWait({ input: {} }),
    render: ({ resolve }) => (
      <button type="button" onClick={() => resolve("red")}>
        red
      </button>
    ),
  };
  const at = scene(calls("asks"));
  const Chat = () => <Render glove={useGlove({ sessionId: "s" })} />;
  render(
    at.draw(
      <>
        <Chat />
        <Gives tools={[asks]} />
      </>,
    ),
  );
  await moment();
  const sending = at.session().sendMessage("Hi");
  fireEvent.click(await screen.findByRole("button", { name: "red" }));
  await act(async () => void (await sending));
  expect(at.results()).toEqual(["red"]);
});

test("what an application sets by `configure` or folds in stands beside what components give", async () => {
  const at = scene(calls("a"));
  const a = tool("a");
  const { rerender } = render(at.draw(<Gives tools={[a]}>{null}</Gives>));
  await moment();
  act(() => void at.session().runnable.fold(tool("folded") as never));
  expect(at.names()).toEqual(["folded", "a"]);
  rerender(at.draw(<Gives tools={[]} />));
  await moment();
  expect(at.names()).toEqual(["folded"]);
});
