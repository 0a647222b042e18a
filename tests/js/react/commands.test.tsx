// The list of commands over the composer.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import {
  Composer,
  ComposerCommands,
  ComposerInput,
  defineHook,
  defineSkill,
  GloveProvider,
  Render,
  Thread,
  useGlove,
} from "glove-wasm/react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { clientOf } from "./page.js";

const hooks = [defineHook({ name: "help", description: "What I can do", run: () => ({ answer: "Ask me." }) })];
const skills = ["mail", "mailbox", "e-mail"].map((name) =>
  defineSkill({ name, description: `About ${name}`, instructions: "Do." }),
);

async function chat(config = {}, drawn?: (glove: ReturnType<typeof useGlove>) => ReactNode) {
  const { client, model } = clientOf(["One.", "Two."], config);
  const Chat = () => {
    const glove = useGlove();
    return drawn ? drawn(glove) : <Render glove={glove} />;
  };
  render(
    <GloveProvider client={client}>
      <Chat />
    </GloveProvider>,
  );
  const field = await screen.findByRole<HTMLTextAreaElement>("textbox");
  const type = (text: string, at = text.length) => {
    act(() => field.focus());
    fireEvent.change(field, { target: { value: text } });
    field.setSelectionRange(at, at);
    fireEvent.input(field);
  };
  const press = (key: string, more = {}) => fireEvent.keyDown(field, { key, ...more });
  const listed = () => screen.queryAllByRole("option").map((option) => option.textContent);
  return { client, model, field, type, press, listed };
}

const both = async () => {
  const page = await chat({ hooks, skills });
  await waitFor(() => expect(page.field.getAttribute("aria-haspopup")).toBe("listbox"));
  return page;
};
const activeOption = (field: Element) => document.getElementById(field.getAttribute("aria-activedescendant") ?? "")?.textContent;

test("a slash lists hooks and skills with what they are for, and letters those that they may mean", async () => {
  const { field, type, listed } = await both();
  type("/");
  expect(listed()).toEqual(["/help What I can do", "/mail About mail", "/mailbox About mailbox", "/e-mail About e-mail"]);
  expect(screen.getByRole("listbox", { name: "Commands" }).id).toBe(field.getAttribute("aria-controls"));
  expect(activeOption(field)).toBe("/help What I can do");
  expect(screen.getByText("Commands: 4").getAttribute("role")).toBe("status");
  type("Please /MAI");
  expect(listed()).toEqual(["/mail About mail", "/mailbox About mailbox", "/e-mail About e-mail"]);
  for (const text of ["/usr/", "and/or", "/mail now", "/nothing", "no"]) {
    type(text);
    expect([text, listed(), field.hasAttribute("aria-activedescendant")]).toEqual([text, [], false]);
  }
});

test("arrows choose, Enter and Tab complete in the middle of a text, and no message is sent by that", async () => {
  const { client, field, type, press, listed } = await both();
  type("/mai");
  press("ArrowDown");
  expect(activeOption(field)).toBe("/mailbox About mailbox");
  press("ArrowUp");
  press("ArrowUp");
  expect(activeOption(field)).toBe("/e-mail About e-mail");
  press("Enter");
  expect([field.value, field.selectionStart, listed()]).toEqual(["/e-mail ", 8, []]);
  type("see /he please", 7);
  press("Tab");
  expect([field.value, field.selectionStart, listed()]).toEqual(["see /help please", 10, []]);
  expect(client.session("any").getSnapshot().timeline).toEqual([]);
});

test("a name that is written whole is sent by Enter, and one that is not listed too", async () => {
  const { field, type, press } = await both();
  type("/HELP");
  press("Enter");
  expect(field.value).toBe("");
  await screen.findByText("Ask me.");
  type("/nothing");
  press("Enter");
  await screen.findByText("One.");
});

test("Escape closes the list for this word and stops nothing, and what composes a letter is no key of it", async () => {
  const { client, field, type, press, listed } = await both();
  type("go");
  press("Enter");
  await screen.findByText("One.");
  const outer: string[] = [];
  document.addEventListener("keydown", ({ key }) => outer.push(key), { once: true });
  type("/ma");
  press("Escape");
  expect(listed()).toEqual([]);
  expect(outer).toEqual([]);
  type("/mai");
  expect(listed()).toEqual([]);
  type("/mai /m");
  expect(listed()).toHaveLength(3);
  press("Enter", { keyCode: 229 });
  press("Tab", { shiftKey: true });
  expect(field.value).toBe("/mai /m");
  fireEvent.focusOut(field);
  expect(listed()).toEqual([]);
  client.dispose();
});

test("a click chooses and leaves the focus in the field", async () => {
  const { field, type } = await both();
  type("/");
  const option = screen.getByRole("option", { name: /mailbox/ });
  expect(fireEvent.mouseDown(option)).toBe(false);
  fireEvent.click(option);
  expect(field.value).toBe("/mailbox ");
  expect(document.activeElement).toBe(field);
});

test("a chat without skills and hooks has no list, and one of your own markup has it where you put it", async () => {
  const plain = await chat();
  plain.type("/");
  await act(() => new Promise((later) => setTimeout(later, 50)));
  expect(document.querySelector("[data-glove-commands]")).toBeNull();
  expect(plain.field.hasAttribute("aria-autocomplete")).toBe(false);
  document.body.replaceChildren();
  const own = await chat({ skills }, (glove) => (
    <Thread glove={glove}>
      <p>{glove.commands.map(({ name, kind }) => `${kind} ${name}`).join(", ")}</p>
      <Composer>
        <ComposerCommands className="mine">{({ name }) => <b>{name}!</b>}</ComposerCommands>
        <ComposerInput />
      </Composer>
    </Thread>
  ));
  await waitFor(() => expect(document.querySelector(".mine")).toBeTruthy());
  own.type("/mailb");
  expect(own.listed()).toEqual(["mailbox!"]);
  expect(screen.getByText("skill mail, skill mailbox, skill e-mail")).toBeTruthy();
});

test("what would turn the name of a command or what it is for stands there to be seen", async () => {
  const hook = defineHook({ name: "help", description: "Shows \u202egnp.exe", run: () => ({ answer: "Ask me." }) });
  const { field, type, listed } = await chat({ hooks: [hook] });
  await waitFor(() => expect(field.getAttribute("aria-haspopup")).toBe("listbox"));
  type("/");
  expect(listed()).toEqual(["/help Shows \\u202Egnp.exe"]);
});
