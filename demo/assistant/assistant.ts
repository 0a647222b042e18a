// The plain assistant's script: what a model would say to what the person types and attaches, and to what the tools gave.
import type { Answer, Assistant, Attached, Call, Said } from "../network/script.js";
import { list, says } from "../network/words.js";
import { closures, databaseSources, databases, help, poems } from "./answers.js";
import { type City, cities, weatherIn } from "./weather.js";

export const assistant: Assistant = (said) => {
  const { text, failed, results, files } = said;
  if (failed) return { text: sorry(said) };
  if (results.length > 0) return { text: told(results) };
  if (files.length > 0) return { text: readOf(files) };
  if (says(text, /\bfail|\berror\b|\bbreak\b/)) return failing();
  if (says(text, /\bweather|forecast|\brain/)) return weather(text);
  if (says(text, /\b(chart|plot|graph|steps)\b/)) return { text: "Here is your week.", calls: [["chart_steps", { days: 7 }]] };
  if (says(text, /\b(e-?mail|write to|send)\b/)) return { calls: [["send_email", emailOf(text)]] };
  if (says(text, /\b(book|table for|reserve|restaurant|dinner)\b/)) return { calls: [["book_table", { guests: 2 }]] };
  if (says(text, /closure|javascript|function|code\b/)) return { thought: thoughts.closures, text: closures };
  if (says(text, /database|sqlite|postgres|compare/))
    return { thought: thoughts.databases, text: databases, sources: databaseSources };
  if (says(text, /\bpoem|rhyme|verse/)) return { text: poem() };
  return { text: help };
};

const thoughts = {
  closures: "They ask for an explanation, so: a definition first, then code that can be run, then what it means in practice.",
  databases:
    "Three candidates, and what tells them apart is who writes. A table shows that at a glance; then advice that can be followed.",
};

let written = 0;
const poem = () => poems[written++ % poems.length] ?? help;

let failures = 0;

/** Breaks off, and is whole when it is asked for again. */
function failing(): Answer {
  if (failures++ % 2 === 0) return { text: "This answer never comes to its", cut: true };
  return { text: "This time it worked. Your question was not sent twice: the answer went on from where it had stopped." };
}

function weather(text: string): Answer {
  const asked = cities.filter((city) => text.toLowerCase().includes(city.toLowerCase()));
  const calls = (asked.length > 0 ? asked : [cities[0]]).map((city): Call => ["get_weather", { city }]);
  return { text: calls.length > 1 ? "Checking both." : "Let me check.", calls };
}

function emailOf(text: string): { to: string; subject: string; body: string } {
  const to = /\bto ([A-Z]\w+)/.exec(text)?.[1] ?? "Ada";
  return {
    to,
    subject: "Notes from today",
    body: `Hello ${to},\n\nhere are the notes from today. The short version: we ship on Thursday.\n\nBest regards`,
  };
}

/** Says what came with the message, and reads what can be read. */
function readOf(files: readonly Attached[]): string {
  const rows = files.map(({ name, type, size }) => `| ${name.replaceAll("|", " ")} | ${type} | ${size} |`);
  const texts = files.flatMap(({ name, text }) => (text ? [`The first lines of **${name}**:\n\n~~~\n${head(text)}\n~~~`] : []));
  return [
    files.length === 1 ? "One file arrived:" : `${files.length} files arrived:`,
    ["| Name | Type | Size |", "|---|---|--:|", ...rows].join("\n"),
    ...texts,
    "These are demo replies. To have the files read, choose a real model below the conversations.",
  ].join("\n\n");
}

const head = (text: string) => text.trim().split("\n").slice(0, 6).join("\n").slice(0, 600).replaceAll("~~~", "");

function sorry({ failed }: Said): string {
  if (failed?.tool_name === "send_email") return "OK, nothing was sent. Tell me what the email should say instead.";
  if (failed?.tool_name === "book_table") return "OK, nothing was booked. Tell me when you have decided.";
  return `That did not work: ${failed?.result.message ?? "something went wrong"}`;
}

// biome-ignore lint/suspicious/noExplicitAny: what a tool gave, as a model reads it.
const sentences: Readonly<Record<string, (data: any) => string>> = {
  chart_steps: ({ days }) => `You walked ${total(days)} steps. The best day was ${best(days)}.`,
  send_email: ({ to }) => `The email to ${to} is on its way.`,
  book_table: ({ time, note }) => `A table for two is booked for ${time}${note ? `, with the note “${note}”` : ""}.`,
};

interface Looked {
  readonly city: City;
}

interface Day {
  readonly name: string;
  readonly steps: number;
}

const total = (days: readonly Day[]) => days.reduce((sum, { steps }) => sum + steps, 0).toLocaleString("en");
const best = (days: readonly Day[]) =>
  list(days.filter(({ steps }) => steps === Math.max(...days.map((day) => day.steps))).map(({ name }) => name));

function told(results: Said["results"]): string {
  const seen = results.filter(({ tool_name }) => tool_name === "get_weather").map(({ result }) => (result.data as Looked).city);
  const others = results.filter(({ tool_name }) => tool_name !== "get_weather");
  const lines = others.map(({ tool_name, result }) => sentences[tool_name]?.(result.data) ?? "Done.");
  return [...(seen.length > 0 ? [weatherIn(seen)] : []), ...lines].join("\n\n");
}
