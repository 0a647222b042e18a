// What a person answers to a question: what is taken, what is refused and why, and what stays of it.
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { defineTool, MemoryStore, type SlotProps, type SlotRenderProps, type ToolConfig } from "glove-wasm/react";
import type { ScriptedAnswer } from "glove-wasm/testing";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { z } from "zod";
import { asks, call, chat } from "./chat.js";
import { moment, nothing } from "./page.js";

test("an answer of the wrong type is refused and the question stays", async () => {
  const heard: unknown[] = [];
  const Ask = ({ resolve }: SlotProps) => (
    <button type="button" onClick={() => resolve("not a number")}>
      answer
    </button>
  );
  const page = chat([call], {
    client: { subscribers: [{ record: (type, data) => void (type === "error" && heard.push(data)) }] },
    config: { tools: [asks("ask", 1, { resolveSchema: z.number(), render: Ask as never })] },
  });
  page.send("go");
  fireEvent.click(await screen.findByRole("button", { name: "answer" }));
  await moment();
  expect(page.glove.slots).toHaveLength(1);
  expect(heard).toEqual([expect.objectContaining({ code: "DISPLAY_WRONG_OUTPUT" })]);
  expect(page.glove.resolveSlot("no such slot", 1)).toBe(false);
});

const seats = (render: (props: SlotRenderProps) => ReactNode, resolveSchema: ToolConfig["resolveSchema"] = z.number().max(9)) =>
  ({
    name: "seats",
    description: "Asks how many.",
    inputSchema: nothing,
    resolveSchema,
    do: async (_, display) => ({ status: "success", data: await display.pushAndWait({ input: {} }) }),
    render,
  }) satisfies ToolConfig;
const asksSeats: ScriptedAnswer[] = [{ toolCalls: [{ name: "seats", input: {} }] }, "Done."];

test.each([
  ["at once", z.number().max(9), [false, false, true]],
  // Whether it was taken is not known yet.
  ["later", z.number().refine(async (count) => count <= 9, "Too many"), [true, true, true]],
] as const)("a person reads why an answer was refused %s, until one is taken", async (_, schema, told) => {
  const took: unknown[] = [];
  const tool = seats(
    ({ resolve, error }) => (
      <>
        <p>{error ? "wrong" : "right"}</p>
        {[77, 88, 2].map((count) => (
          <button key={count} type="button" onClick={() => took.push(resolve(count))}>
            {`${count} seats`}
          </button>
        ))}
      </>
    ),
    schema,
  );
  const page = chat(asksSeats, { client: { tools: [tool], subscribers: [{ record: () => {} }] } });
  page.send("Book");
  fireEvent.click(await screen.findByText("77 seats"));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/^Too (big|many)/);
  expect(screen.getByText("wrong")).toBeTruthy();
  expect(page.glove.slots[0]?.error).toBe(alert.textContent);
  fireEvent.click(screen.getByText("88 seats"));
  await moment();
  expect(screen.getAllByRole("alert")).toHaveLength(1);
  fireEvent.click(screen.getByText("2 seats"));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  expect(screen.getByText("right")).toBeTruthy();
  expect(page.glove.slots[0]?.error).toBeUndefined();
  expect(took).toEqual(told);
  await waitFor(() => expect(page.glove.busy).toBe(false));
});

test("the sentence of a refusal stands on the page once, also where the question shows it itself", async () => {
  const tool = seats(({ resolve, error }) => (
    <button type="button" onClick={() => resolve(77)}>
      Book {error}
    </button>
  ));
  const page = chat(asksSeats, { client: { tools: [tool], subscribers: [{ record: () => {} }] } });
  page.send("Book");
  fireEvent.click(await screen.findByRole("button", { name: "Book" }));
  await waitFor(() => expect(page.container.textContent?.match(/Too big/g)).toHaveLength(1));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a question of the run that is answered with what is neither yes nor no says so", async () => {
  const Maybe = ({ resolve }: SlotProps) => (
    <button type="button" onClick={() => resolve("perhaps")}>
      Maybe
    </button>
  );
  const renderers = { permission_request: Maybe };
  const tool: ToolConfig = {
    name: "mail",
    description: "",
    inputSchema: nothing,
    requiresPermission: true,
    do: async () => ({ status: "success", data: "" }),
  };
  const script = [{ toolCalls: [{ name: "mail", input: {} }] }, "Done."];
  const page = chat(script, { client: { tools: [tool], subscribers: [{ record: () => {} }] }, config: { renderers } });
  page.send("Mail");
  fireEvent.click(await screen.findByText("Maybe"));
  expect((await screen.findByRole("alert")).textContent).not.toBe("");
});

test("a form that stays shows what was answered, also after a reload", async () => {
  const store = new MemoryStore("s1");
  const trip = defineTool({
    name: "trip",
    description: "",
    inputSchema: nothing,
    displayPropsSchema: nothing,
    resolveSchema: z.object({ rows: z.coerce.number() }),
    do: async (_, display) => {
      const { rows } = await display.pushAndWait({});
      await display.pushAndWait({ message: "Sure?" }, "confirm");
      await display.pushAndWait({ message: "Key?" }, "secret");
      return rows;
    },
    render: ({ resolve, answer }) => (
      <button type="button" onClick={() => resolve({ rows: "7" })}>
        {`${answer?.rows ?? 2} rows`}
      </button>
    ),
  });
  const script = [{ toolCalls: [{ name: "trip", input: {} }] }, "Done."];
  const client = { createStore: () => store, tools: [trip] };
  const config = { sessionId: "s1" };
  const page = chat(script, { client, config });
  page.send("Go");
  fireEvent.click(await screen.findByText("2 rows"));
  expect(await screen.findByText("7 rows")).toBeTruthy();
  fireEvent.click(await screen.findByRole("button", { name: "No" }));
  const key = await screen.findByLabelText("Key?", { selector: "input" });
  expect(page.container.textContent).toContain("Sure? No");
  fireEvent.change(key, { target: { value: "hunter2" } });
  fireEvent.submit(key);
  await waitFor(() => expect(page.glove.busy).toBe(false));
  const before = page.glove.slots;
  expect(before.map(({ answer }) => answer)).toEqual([{ rows: 7 }, "no", undefined]);
  cleanup();
  await moment();

  const again = chat([], { client, config });
  expect(await screen.findByText("7 rows")).toBeTruthy();
  expect(again.container.textContent).toContain("Sure? No");
  expect(again.container.textContent).toContain("Key? Answered");
  expect(again.glove.slots.map(({ answer }) => answer)).toEqual([{ rows: 7 }, "no", undefined]);
  expect(JSON.stringify([again.glove.slots, await again.glove.session?.messages()])).not.toContain("hunter2");
});

test("while a question waits the status is the same before a reload and after it", async () => {
  const store = new MemoryStore("s1");
  const client = { createStore: () => store, tools: [seats(() => <p>How many?</p>)] };
  const page = chat(asksSeats, { client, config: { sessionId: "s1" } });
  page.send("Book");
  await screen.findByText("How many?");
  await waitFor(() => expect(page.glove.run.phase).toBe("waiting"));
  expect(page.glove.status).toBe("streaming");
  cleanup();
  await moment();
  const again = chat([], { client: { ...client, tools: [...client.tools] }, config: { sessionId: "s1" } });
  await screen.findByText("How many?");
  await waitFor(() => expect(again.glove.run.phase).toBe("waiting"));
  expect(again.glove.status).toBe("streaming");
});
