// What tools show beside their results, drawn by `<Render>`: by the application's renderers, as files, or as what there is.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { GloveProvider, MemoryStore, type SlotProps, type ToolConfig, useGlove, usePrompts } from "glove-wasm/react";
import { expect, test, vi } from "vitest";
import { chat } from "./chat.js";
import { clientOf } from "./page.js";

const show = (work: ToolConfig["do"]): ToolConfig => ({
  name: "show",
  description: "",
  jsonSchema: { type: "object" },
  do: work,
});
const script = [{ toolCalls: [{ name: "show" }] }, "It rains"];
const forecast: ToolConfig = show((_, display) => {
  display.displayWidget("forecast", { mm: 3 }, "Three millimetres");
  return "done";
});
const drawn = { forecast: ({ data }: SlotProps) => <p>Rain: {(data as { mm: number }).mm} mm</p> };

test("a widget is drawn by the renderer of its name right behind its call, and in another page after that", async () => {
  const store = new MemoryStore("s1");
  const client = { tools: [forecast], createStore: () => store };
  const config = { sessionId: "s1", renderers: drawn };
  const first = chat(script, { client, config });
  first.send("Weather?");
  await screen.findByText("Rain: 3 mm");
  const card = first.container.querySelector("[data-glove-role=tool]");
  expect(card?.nextElementSibling?.textContent).toBe("Rain: 3 mm");
  const part = first.glove.messages[1]?.parts[1];
  expect(part).toMatchObject({ type: "data-output", data: { type: "widget", widget: "forecast", data: { mm: 3 } } });
  first.glove.session?.dispose();
  first.container.remove();

  chat([], { client, config });
  expect(await screen.findByText("Rain: 3 mm")).toBeTruthy();
});

test("a widget without a renderer shows its fallback, or its data with its name", async () => {
  const tool = show((_, display) => {
    display.displayWidget("forecast", { mm: 3 }, "Three millimetres");
    display.displayWidget("wind_speed", { knots: 12 });
    display.addOutput({ type: "quote", data: "Rain, rain" });
    return "done";
  });
  const { container, send } = chat(script, { client: { tools: [tool] } });
  send("Weather?");
  await screen.findByText("Three millimetres");
  const texts = [...container.querySelectorAll("[data-glove-output]")].map(({ textContent }) => textContent);
  expect(texts).toEqual(["Three millimetres", "Wind speedKnots12", "QuoteRain, rain"]);
});

test("an own type is drawn by the renderer of its name, and one that throws is a sentence in its place", async () => {
  const tool = show((_, display) => {
    display.addOutput({ type: "quote", data: "Rain, rain" });
    display.displayWidget("broken", 1);
    return "done";
  });
  const record = vi.fn();
  const renderers = {
    quote: ({ data }: SlotProps) => <q>{String(data)}</q>,
    broken: () => {
      throw new Error("no");
    },
  };
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { container, send } = chat(script, { client: { tools: [tool], subscribers: [{ record }] }, config: { renderers } });
  send("Weather?");
  await screen.findByText("Rain, rain");
  expect(container.querySelector("q")?.textContent).toBe("Rain, rain");
  expect(screen.getByText("This part of the conversation could not be shown.")).toBeTruthy();
  expect(record).toHaveBeenCalledWith("error", expect.objectContaining({ code: "RENDERER_FAILED" }), expect.anything());
  vi.restoreAllMocks();
});

test("a file is a card that downloads it with its name, and one elsewhere leads there, but nowhere else than the web", async () => {
  const tool = show((_, display) => {
    display.addFileOutput({ name: "week.html", type: "text/html", content: "<p>Rain</p>" });
    display.addFileOutput({ name: "day.pdf", url: "https://example.com/day.pdf" });
    display.addFileOutput({ name: "bad.pdf", url: "javascript:alert(1)" });
    return "done";
  });
  const { container, send } = chat(script, { client: { tools: [tool] } });
  send("Weather?");
  await screen.findByRole("button", { name: /week.html/ });
  const links = [...container.querySelectorAll<HTMLAnchorElement>("[data-glove-output] a")];
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["https://example.com/day.pdf", null]);
  const made: Blob[] = [];
  URL.createObjectURL = (blob) => `blob:${made.push(blob as Blob)}`;
  const clicked: string[] = [];
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    clicked.push(this.download);
  });
  fireEvent.click(screen.getByRole("button", { name: /week.html/ }));
  await waitFor(() => expect(clicked).toEqual(["week.html"]));
  expect([made[0]?.size, made[0]?.type]).toEqual([11, "application/octet-stream"]);
  click.mockRestore();
});

test("a conversation is there as prompts, and the prompts of another one take their place", async () => {
  const { client } = clientOf([...script, "Good day"], { tools: [forecast] });
  const Prompts = () => {
    const prompts = usePrompts();
    return (
      <output>
        {prompts.map(({ input, state, outputs }) => `${input} ${state} ${outputs.map(({ type }) => type)}`).join("; ")}
      </output>
    );
  };
  let glove: ReturnType<typeof useGlove> | undefined;
  const Page = () => {
    glove = useGlove({ sessionId: "s1" });
    return <Prompts />;
  };
  const { container } = render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  const shown = (text: string) => waitFor(() => expect(container.textContent).toBe(text));
  act(() => void glove?.sendMessage("Weather?"));
  await shown("Weather? completed tool,widget,text");
  act(() => glove?.switchConversation("s2"));
  await shown("");
  act(() => void glove?.sendMessage("Hello"));
  await shown("Hello completed text");
});

const png = "iVBORw0KGgo=";
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };

test.each<[about: string, result: unknown, shown: readonly string[]]>([
  ["a part of a message", picture, ["picture image/png"]],
  ["parts among texts", [{ type: "text", text: "Now:" }, picture, { a: 1 }], ["Now:", "picture image/png", '{\n  "a": 1\n}']],
  [
    "what an MCP server answers",
    {
      content: [
        { type: "image", data: png, mimeType: "image/png" },
        {
          type: "resource",
          resource: { uri: "file:///a/week%20\u202efdp.exe?x", mimeType: "application/pdf", blob: "JVBERi0=" },
        },
        { type: "resource", resource: { uri: "file:///b", text: "b" } },
      ],
    },
    ["picture image/png", "file week%20\\u202Efdp.exe EXE · 5 bytes", "b"],
  ],
  [
    "a file with its name, and one elsewhere",
    [
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" }, file: { name: "a.pdf" } },
      { type: "image", source: { type: "url", url: "https://example.com/b.png" } },
    ],
    ["file a.pdf PDF · 5 bytes", "link https://example.com/b.png b.png PNG"],
  ],
  [
    "what is said beside a file",
    {
      content: [{ type: "image", data: png, mimeType: "image/png", alt: "a dog" }],
      structuredContent: { dogs: 1 },
      isError: false,
    },
    ["picture image/png", '{\n  "alt": "a dog"\n}', '{\n  "structuredContent": {\n    "dogs": 1\n  }\n}'],
  ],
  [
    "a source that is no file",
    { type: "article", source: { url: "https://h" } },
    ['{\n  "type": "article",\n  "source": {\n    "url": "https://h"\n  }\n}'],
  ],
  ["what only looks like it", { type: "image", source: "web" }, ['{\n  "type": "image",\n  "source": "web"\n}']],
  [
    "a list of files that is no block",
    [{ source: { data: "x" } }],
    ['[\n  {\n    "source": {\n      "data": "x"\n    }\n  }\n]'],
  ],
])("the card of a call shows pictures and files among its result: %s", async (_, result, shown) => {
  const { container, send } = chat(script, { client: { tools: [show(() => result as never)] } });
  send("Weather?");
  await screen.findByText("It rains");
  const details = () => [...(container.querySelector("[data-glove-details] h4:last-of-type")?.parentElement?.children ?? [])];
  const words = (element: Element) => {
    const texts = [...element.querySelectorAll("bdi, small")].map(({ textContent }) => textContent).join(" ");
    const picture = element.querySelector<HTMLImageElement>("[data-glove-zoom] > img");
    if (picture) return `picture ${/^data:([^;]*);base64,iVBORw0KGgo=$/.exec(picture.src)?.[1]}`;
    const link = element.querySelector("a");
    return link ? `link ${link.href} ${texts}` : element.tagName === "PRE" ? element.textContent : `file ${texts}`;
  };
  await waitFor(() => expect(details().slice(2).map(words)).toEqual(shown));
});

test("what a tool calls a picture and is none is a file", async () => {
  const { container, send } = chat(script, { client: { tools: [show(() => picture)] } });
  send("Weather?");
  await waitFor(() => expect(container.querySelector("[data-glove-details] img")).toBeTruthy());
  const image = container.querySelector("[data-glove-details] img") as HTMLImageElement;
  expect([image.alt, image.style.maxHeight, image.style.maxWidth]).toEqual(["Picture", "16rem", "100%"]);
  fireEvent.error(image);
  expect(container.querySelector("[data-glove-details] [data-glove-attachment] small")?.textContent).toBe("8 bytes");
  expect(container.querySelector("[data-glove-details] img")).toBeNull();
});
