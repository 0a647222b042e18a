// Several questions of one call: one at a time, by keys, back and forth, and over a reload.
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { builtInRenderers } from "glove-wasm/react";
import { beforeAll, expect, test, vi } from "vitest";
import { asks, chat } from "./chat.js";

const trip = {
  questions: [
    { message: "Where to?", options: ["The sea", { label: "Mountains", value: "alps" }], required: true },
    { message: "What do you like?", options: ["Food", "Museums", "Walks"], multiple: true },
    "Anything else?",
    { message: "By train?", options: [true, false], own: false },
  ],
};

beforeAll(async () => {
  // It comes with the first question, which takes its time on a busy machine.
  const Questions = builtInRenderers.questions as NonNullable<typeof builtInRenderers.questions>;
  render(<Questions data={trip} status="pending" resolve={vi.fn()} reject={vi.fn()} />);
  await screen.findByText("Where to?", {}, { timeout: 100_000 });
  cleanup();
}, 120_000);

async function asked(input: unknown = trip, more = {}) {
  const page = chat([{ toolCalls: [{ name: "ask" }] }, "Noted."], { client: { tools: [asks("questions", input, more)] } });
  page.send("Plan");
  await screen.findByText("Where to?");
  const form = () => page.container.querySelector("form[data-glove-questions]") as HTMLFormElement;
  const key = (key: string) =>
    fireEvent.keyDown(form().contains(document.activeElement) ? (document.activeElement as Element) : form(), { key });
  const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
  return { page, form, key, press };
}

const output = (page: Awaited<ReturnType<typeof asked>>["page"]) => {
  const call = page.glove.timeline.find((entry) => entry.kind === "tool");
  return call?.kind === "tool" ? call.output : undefined;
};

const enter = (form: HTMLFormElement) => fireEvent.submit(form);

test("letters choose, Enter goes on, and each question has the focus when it comes", async () => {
  const { page, form, key, press } = await asked();
  await waitFor(() => expect(form().contains(document.activeElement)).toBe(true));
  expect(screen.getByRole("button", { name: "Next" })).toHaveProperty("disabled", true);
  expect(screen.queryByRole("button", { name: "Skip" })).toBeNull();
  // Nothing is chosen: Enter answers nothing.
  enter(form());
  expect(screen.getByText("Question 1 of 4")).toBeTruthy();
  key("b");
  expect(screen.getByRole("radio", { name: "Mountains" })).toHaveProperty("checked", true);
  enter(form());
  expect(await screen.findByText("Question 2 of 4")).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole("checkbox", { name: "Food" }));
  for (const letter of ["C", "a", "b", "b"]) key(letter);
  // The letter behind the last is for words of one's own.
  key("d");
  const own = screen.getByRole("textbox", { name: "In your own words" });
  expect(document.activeElement).toBe(own);
  // A letter that is written chooses nothing.
  key("b");
  fireEvent.change(own, { target: { value: " Music " } });
  enter(form());
  expect(await screen.findByRole("textbox", { name: "Anything else?" })).toBe(document.activeElement);
  press("Skip");
  expect(await screen.findByText("Question 4 of 4")).toBeTruthy();
  expect(screen.queryByRole("textbox", { name: "In your own words" })).toBeNull();
  key("a");
  press("Answer");
  await screen.findByText("Noted.");
  expect(JSON.parse(output(page) ?? "")).toEqual(["alps", ["Food", "Walks", "Music"], null, true]);
  const answers = [...page.container.querySelectorAll("[data-glove-answered]")].map(({ textContent }) => textContent);
  expect(answers).toEqual([
    "Where to? Mountains",
    "What do you like? Food, Walks, Music",
    "Anything else? Skipped",
    "By train? true",
  ]);
  expect(Object.keys(sessionStorage).filter((key) => key.includes("slot:"))).toEqual([]);
});

test("Back shows what was chosen, and words of one's own take the place of an option", async () => {
  const { page, form, key, press } = await asked({ questions: trip.questions.slice(0, 2) });
  key("a");
  enter(form());
  await screen.findByText("Question 2 of 2");
  press("Back");
  const sea = screen.getByRole("radio", { name: "The sea" });
  await waitFor(() => expect(document.activeElement).toBe(sea));
  expect(sea).toHaveProperty("checked", true);
  fireEvent.change(screen.getByRole("textbox", { name: "In your own words" }), { target: { value: "The moon" } });
  expect(sea).toHaveProperty("checked", false);
  enter(form());
  await screen.findByText("Question 2 of 2");
  press("Skip");
  await screen.findByText("Noted.");
  expect(JSON.parse(output(page) ?? "")).toEqual(["The moon", null]);
});

test("keys with Ctrl, Alt or Meta, and letters without an option, choose nothing", async () => {
  const { form, key } = await asked();
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) fireEvent.keyDown(form(), { key: "a", ...more });
  for (const other of ["x", "1", "Enter", "Escape"]) key(other);
  expect(screen.getAllByRole("radio").some((radio) => (radio as HTMLInputElement).checked)).toBe(false);
});

test("what was answered so far survives a reload, and what is stored by another is nothing", async () => {
  const { page, form, key } = await asked();
  key("b");
  enter(form());
  await screen.findByText("Question 2 of 4");
  key("b");
  const slot = page.glove.slots[0];
  const stored = Object.keys(sessionStorage).find((key) => key.includes("slot:")) ?? "";
  const Questions = builtInRenderers.questions as NonNullable<typeof builtInRenderers.questions>;
  const again = (id: string) =>
    render(
      <div data-glove-slot={id}>
        <Questions data={trip} status="pending" resolve={vi.fn()} reject={vi.fn()} />
      </div>,
    );
  const { container, unmount } = again(slot?.id ?? "");
  await waitFor(() => expect(container.textContent).toContain("Question 2 of 4"));
  expect(
    [...container.querySelectorAll<HTMLInputElement>("input:checked")].map(({ labels }) => labels?.[0]?.textContent),
  ).toEqual(["BMuseums"]);
  unmount();
  const odd = [
    "x",
    "[]",
    '{"at":-5,"given":[{"chosen":[7,"a",0,1],"own":3},null]}',
    '{"at":99,"given":{}}',
    '{"at":99,"given":[]}',
  ];
  const shown = [1, 1, 1, 1, 4];
  for (const [index, text] of odd.entries()) {
    sessionStorage.setItem(stored.replace(/slot:.*/, `slot:odd${index}`), text);
    const { container, unmount } = again(`odd${index}`);
    await waitFor(() => expect(container.textContent).toContain(`Question ${shown[index]} of 4`));
    unmount();
  }
});

test("a refused answer says why, and Cancel declines all", async () => {
  const { page, key, press } = await asked({ questions: [trip.questions[0]] });
  expect(screen.queryByText(/Question 1/)).toBeNull();
  key("a");
  const Questions = builtInRenderers.questions as NonNullable<typeof builtInRenderers.questions>;
  const refused = render(<Questions data={trip} status="pending" resolve={vi.fn()} reject={vi.fn()} error="Not there." />);
  expect(screen.getByRole("alert").textContent).toBe("Not there.");
  refused.unmount();
  press("Cancel");
  await screen.findByText("Noted.");
  expect(page.container.querySelector("[data-glove-answered]")?.textContent).toBe("Where to? Declined");
});

test("what is no list of questions is not shown as one", async () => {
  const page = chat([{ toolCalls: [{ name: "ask" }] }, "Noted."], {
    client: { tools: [asks("questions", { questions: [{ message: "One?" }, {}] })] },
  });
  page.send("Plan");
  fireEvent.click(await screen.findByRole("button", { name: "Dismiss" }));
  await screen.findByText("Noted.");
});
