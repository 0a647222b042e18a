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
