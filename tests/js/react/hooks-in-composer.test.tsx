// What a hook does not let through is in the composer again.
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { defineHook, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { expect, test } from "vitest";
import { clientOf } from "./page.js";

const Chat = () => <Render glove={useGlove()} />;

test.each([
  ["stops", () => ({ stop: "Say how much." })],
  ["fails at", () => Promise.reject(new Error("offline"))],
])("a message that a hook %s is in the composer again", async (_, run) => {
  const { client, model } = clientOf(["Paid."], { hooks: [defineHook({ name: "pay", description: "", run })] });
  render(
    <GloveProvider client={client}>
      <Chat />
    </GloveProvider>,
  );
  const field = screen.getByRole<HTMLTextAreaElement>("textbox");
  fireEvent.change(field, { target: { value: "/pay Ann" } });
  fireEvent.keyDown(field, { key: "Enter" });
  expect(field.value).toBe("");
  await waitFor(() => expect(field.value).toBe("/pay Ann"));
  await waitFor(() => expect(screen.getByRole("alert").textContent).toMatch(/Say how much|offline/));
  fireEvent.change(field, { target: { value: "pay Ann" } });
  fireEvent.keyDown(field, { key: "Enter" });
  await screen.findByText("Paid.");
  expect(model.calls).toHaveLength(1);
});

test("a message whose page goes while a hook works is in the composer of the next, and not once it was sent", async () => {
  let open: (() => void) | undefined;
  const run = () => new Promise<undefined>((done) => (open = () => done(undefined)));
  const { client } = clientOf(["Paid."], { hooks: [defineHook({ name: "pay", description: "", run })], persistSession: true });
  render(
    <GloveProvider client={client}>
      <Chat />
    </GloveProvider>,
  );
  const kept = () => Object.values({ ...sessionStorage }).filter((text) => text.includes("/pay"));
  const field = screen.getByRole<HTMLTextAreaElement>("textbox");
  await waitFor(() => expect(field.getAttribute("aria-haspopup")).toBe("listbox"));
  fireEvent.change(field, { target: { value: "/pay Ann" } });
  fireEvent.keyDown(field, { key: "Enter" });
  expect(field.value).toBe("");
  // What a page finds that begins anew.
  expect(kept()).toEqual(["/pay Ann"]);
  await waitFor(() => expect(open).toBeDefined());
  open?.();
  await screen.findByText("Paid.");
  expect(kept()).toEqual([]);
});
