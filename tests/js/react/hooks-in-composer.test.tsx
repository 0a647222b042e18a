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

/** What jsdom lacks. */
function readBlobs(): void {
  const read = (blob: Blob) =>
    new Promise<ArrayBuffer>((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result as ArrayBuffer);
      reader.readAsArrayBuffer(blob);
    });
  Blob.prototype.arrayBuffer ??= function (this: Blob) {
    return read(this);
  };
  Blob.prototype.text ??= async function (this: Blob) {
    return new TextDecoder().decode(await read(this));
  };
}

test("the files of a message that a hook does not let through are in the composer again too", async () => {
  readBlobs();
  let stops = true;
  const run = () => (stops ? { stop: "Say how much." } : undefined);
  const { client, model } = clientOf(["Paid."], { hooks: [defineHook({ name: "pay", description: "", run })] });
  const { container } = render(
    <GloveProvider client={client}>
      <Chat />
    </GloveProvider>,
  );
  const field = screen.getByRole<HTMLTextAreaElement>("textbox");
  await screen.findByRole("button", { name: "Attach files" });
  const input = container.querySelector("input[type=file]") as HTMLInputElement;
  fireEvent.change(input, { target: { files: [new File(["a,b"], "bill.csv", { type: "text/csv" })] } });
  const file = () => container.querySelector("form [data-glove-attachment][data-state=ready]");
  await waitFor(() => expect(file()).toBeTruthy());
  fireEvent.change(field, { target: { value: "/pay Ann" } });
  fireEvent.keyDown(field, { key: "Enter" });
  expect([field.value, file()]).toEqual(["", null]);
  await screen.findByText(/Say how much/);
  await waitFor(() => expect(field.value).toBe("/pay Ann"));
  expect(file()?.textContent).toContain("bill.csv");
  stops = false;
  fireEvent.keyDown(field, { key: "Enter" });
  await screen.findByText("Paid.");
  expect(model.calls).toHaveLength(1);
  expect(JSON.stringify(model.calls[0]?.messages)).toContain("bill.csv");
});
