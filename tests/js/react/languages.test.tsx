// The words of a chat in other languages.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { act, cleanup, render, screen } from "@testing-library/react";
import { builtInRenderers, preloadLanguage, Render, type SlotProps, ThreadList } from "glove-wasm/react";
import type { FunctionComponent } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, expect, test } from "vitest";
import { words as german } from "../../../js/react/languages/de.js";
import { agent, handle, slot, user } from "./handle.js";

const parts = join(import.meta.dirname, "..", "..", "..", "js", "react");
const folder = join(parts, "languages");
const languages = readdirSync(folder).filter((file) => /^[a-z]{2}\.ts$/.test(file));
const english = Object.keys(german);
const gaps = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join(" ");

afterEach(() => {
  cleanup();
  document.documentElement.removeAttribute("lang");
});

test("ten languages are built in", () => {
  expect(languages.map((file) => file.slice(0, 2))).toEqual(["de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "zh"]);
});

test.each(languages)("every word has a translation with the same gaps, signs and ends in %s", async (file) => {
  const { words } = (await import(`../../../js/react/languages/${file.slice(0, 2)}.ts`)) as { words: Record<string, string> };
  expect(Object.keys(words)).toEqual(english);
  for (const [word, said] of Object.entries(words)) {
    expect(said.trim(), word).toBe(said);
    expect(said, word).not.toBe("");
    expect(gaps(said), word).toBe(gaps(word));
    // A sentence is a sentence, and what goes on goes on.
    expect(/[.。]$/.test(said), `${word}: ${said}`).toBe(/\.$/.test(word));
    expect(said.endsWith("…"), `${word}: ${said}`).toBe(word.endsWith("…"));
  }
  const same = english.filter((word) => words[word] === word);
  // Some are the same in a language or two.
  expect(same.length, same.join(", ")).toBeLessThan(16);
});

test("every word that a part of the chat says is one that has translations", () => {
  const files = readdirSync(parts, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  const said = files.flatMap((file) => {
    const text = readFileSync(join(parts, file), "utf8");
    return [...text.matchAll(/\bsay\("([^"]+)"/g)].map(([, word = ""]) => word);
  });
  expect(said.length).toBeGreaterThan(50);
  expect(said.filter((word) => !english.includes(word))).toEqual([]);
});

test("a chat speaks the language of its page from its first sight on, and follows it", async () => {
  document.documentElement.lang = "de-AT";
  const glove = handle({ timeline: [user("u1"), agent("a1")] });
  const { container } = render(<Render glove={glove} />);
  expect(container.textContent).toBe("");
  const field = await screen.findByPlaceholderText("Nachricht schreiben");
  expect(screen.getByRole("log").getAttribute("aria-label")).toBe("Unterhaltung");
  expect(field.closest("[lang]")).toBe(document.documentElement);
  // No other language is seen on the way.
  const seen: string[] = [];
  const look = new MutationObserver(() => seen.push((field as HTMLTextAreaElement).placeholder));
  look.observe(container, { attributes: true, subtree: true, childList: true });
  await act(async () => {
    document.documentElement.lang = "fr";
  });
  await screen.findByPlaceholderText("Écrivez un message");
  look.disconnect();
  expect(seen.filter((said) => !/^(Nachricht schreiben|Écrivez un message)$/.test(said))).toEqual([]);
  // The field is the same, with what is typed in it.
  expect(await screen.findByPlaceholderText("Écrivez un message")).toBe(field);
  await act(async () => {
    document.documentElement.lang = "en";
  });
  expect(screen.getByPlaceholderText("Type a message")).toBe(field);
});

test("a chat that is given a language speaks that one, and says so of itself; words of the application win", async () => {
  document.documentElement.lang = "de";
  const glove = handle();
  const { container } = render(<Render glove={glove} lang="ja" labels={{ Send: "送る" }} />);
  expect(await screen.findByPlaceholderText("メッセージを入力")).toBeTruthy();
  expect(screen.getByRole("button", { name: "送る" })).toBeTruthy();
  expect(container.querySelector("[data-glove-strategy]")?.getAttribute("lang")).toBe("ja");
});

test.each(["en-GB", "sv", "zh-TW", "zh-Hant-HK", "constructor", ""])("a page in %o is given English at once", (lang) => {
  document.documentElement.lang = lang;
  render(<Render glove={handle()} />);
  expect(screen.getByPlaceholderText("Type a message")).toBeTruthy();
});

test.each(["zh-Hans-HK", "zh", "de_AT", "PT-br"])("a page in %o is given one that is built in", async (lang) => {
  await preloadLanguage(lang);
  const name = lang.slice(0, 2).toLowerCase();
  const { words } = (await import(`../../../js/react/languages/${name}.ts`)) as { words: Record<string, string> };
  document.documentElement.lang = lang;
  render(<Render glove={handle()} />);
  expect(screen.getByRole("log").getAttribute("aria-label")).toBe(words.Conversation);
});

test.each(languages)("a chat speaks the language of %s", async (file) => {
  const name = file.slice(0, 2);
  const { words } = (await import(`../../../js/react/languages/${name}.ts`)) as { words: Record<string, string> };
  await preloadLanguage(name);
  render(<Render glove={handle()} lang={name} />);
  expect(screen.getByRole("log").getAttribute("aria-label")).toBe(words.Conversation);
});

test("a number stands where its language has it", async () => {
  await preloadLanguage("ja");
  const queue = [{ id: "q1", text: "", files: 3 }];
  render(<Render glove={handle({ queue, busy: true, cancelQueued: () => true })} lang="ja" />);
  expect(screen.getByText("3件のファイル")).toBeTruthy();
});

test("a server draws in the language that it is given", async () => {
  await preloadLanguage("pl");
  expect(renderToString(<Render glove={handle()} lang="pl-PL" />)).toContain("Napisz wiadomość");
});

test("a reader of the screen hears once that an answer is there, and nothing of it before", () => {
  const region = () => container.querySelector("[aria-live=polite]")?.textContent;
  const timeline = [user("u1")];
  const { container, rerender } = render(<Render glove={handle({ timeline: [user("u0"), agent("a0")] })} />);
  expect(region()).toBe("");
  rerender(<Render glove={handle({ timeline, busy: true, streamingText: "Some" })} />);
  expect(region()).toBe("");
  rerender(<Render glove={handle({ timeline: [...timeline, agent("a1", "Some words")] })} />);
  expect(region()).toBe("Reply ready");
  rerender(<Render glove={handle({ timeline: [...timeline, agent("a1", "Some words"), user("u2")], busy: true })} />);
  expect(region()).toBe("");
  // What failed is said by the notice.
  rerender(<Render glove={handle({ timeline: [...timeline, agent("a1")], error: new Error("It broke.") })} />);
  expect(region()).toBe("");
});

test("a line of the application stands below the composer", () => {
  const { container } = render(
    <Render
      glove={handle()}
      disclaimer={
        <>
          Answers may be wrong. <a href="/terms">Terms</a>
        </>
      }
    />,
  );
  const line = container.querySelector("[data-glove-disclaimer]");
  expect(line?.textContent).toBe("Answers may be wrong. Terms");
  expect(line?.previousElementSibling?.matches("form")).toBe(true);
});

test("the list of conversations speaks the same language", async () => {
  const { client } = await import("./page.js").then(({ clientOf }) => clientOf([]));
  const { GloveProvider } = await import("glove-wasm/react");
  render(
    <GloveProvider client={client}>
      <ThreadList lang="es" />
    </GloveProvider>,
  );
  expect(await screen.findByRole("button", { name: "Nueva conversación" })).toBeTruthy();
});

test.each([
  ["confirm", {}, "Bitte bestätigen Sie."],
  ["input", {}, "Bitte antworten Sie:"],
  ["select", { options: ["a"] }, "Bitte wählen Sie:"],
  ["secret", { key_name: "API_KEY" }, "Bitte geben Sie API_KEY ein:"],
  ["secret", {}, "Bitte geben Sie das Geheimnis ein:"],
  ["budget_reached", {}, "Diese Unterhaltung hat eine Grenze erreicht. Fortfahren?"],
  [
    "interrupted_call",
    { toolName: "pay_bill" },
    "Pay bill wurde unterbrochen und hat möglicherweise schon etwas bewirkt. Noch einmal ausführen?",
  ],
])("the sentence of a %s with %j is in the language of its chat", async (name, data, sentence) => {
  await preloadLanguage("de");
  const Drawn = builtInRenderers[name] as FunctionComponent<SlotProps>;
  const renderSlot = () => <Drawn key="s" data={data} resolve={() => true} reject={() => {}} status="pending" />;
  render(<Render glove={handle({ slots: [slot("s", { waits: true })], renderSlot })} lang="de" />);
  expect(await screen.findByRole("form", { name: sentence })).toBeTruthy();
});
