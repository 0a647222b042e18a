// The parts of the gallery: what each is, its props, and the code that draws it with them.
export type Values = Readonly<Record<string, string>>;

export interface Prop {
  readonly name: string;
  readonly initial: string;
  readonly choices?: readonly string[];
}

export interface Part {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  /** The guide that says more. */
  readonly guide: string;
  readonly props: readonly Prop[];
  readonly code: (values: Values) => string;
}

const yesNo = ["true", "false"];
const text = (value: string | undefined) => JSON.stringify(value ?? "");

const table = `Two of them are late:

| Order | Due | Where it is |
|---|---|---|
| A-1042 | 12 November | damaged |
| A-1057 | 19 November | in customs |

~~~ts
const late = orders.filter(({ due }) => due < today);
~~~`;

const chat: Part = {
  id: "chat",
  name: "A whole chat",
  about: "One component draws the conversation: answers with tables and code, the composer, errors, and what waits for a person.",
  guide: "docs/chat-look.html",
  props: [
    { name: "lang", initial: "en", choices: ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja", "ko", "zh"] },
    { name: "find", initial: "false", choices: yesNo },
    { name: "contextMeter", initial: "true", choices: yesNo },
    { name: "markdown", initial: "true", choices: yesNo },
    { name: "disclaimer", initial: "Answers may be wrong." },
  ],
  code: ({ lang, find, contextMeter, markdown, disclaimer }) => `import { Render, useGlove } from "glove-wasm/react";
import { Preview } from "./preview";

const answer = \`${table}\`;

function Chat() {
  return (
    <Render
      glove={useGlove()}
      lang="${lang}"
      find={${find}}
      contextMeter={${contextMeter}}
      markdown={${markdown}}
      disclaimer=${text(disclaimer)}
    />
  );
}

export default () => (
  <Preview say="Which orders are late?" script={[answer]}>
    <Chat />
  </Preview>
);
`,
};

const approval: Part = {
  id: "approval",
  name: "An approval",
  about: "A call waits until a person has read what it does. Exactly that runs, or nothing.",
  guide: "docs/guides/approve-what-runs.html",
  props: [
    { name: "rule", initial: "requireApproval", choices: ["requireApproval", "requiresPermission"] },
    { name: "danger", initial: "true", choices: yesNo },
    { name: "title", initial: "Refund for A-1042" },
    { name: "confirm", initial: "Refund €80 for order A-1042?" },
  ],
  code: ({ rule, danger, title, confirm }) => `import { defineTool, Render, useGlove } from "glove-wasm/react";
import { z } from "zod";
import { Preview } from "./preview";

const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  inputSchema: z.object({ order: z.string(), euros: z.number() }),
  title: () => ${text(title)},
  confirm: () => ${text(confirm)},
  ${rule}: true,
  danger: ${danger},
  do: ({ euros }) => \`€\${euros} paid back\`,
});

const call = { text: "I can refund that.", toolCalls: [{ name: "refund", input: { order: "A-1042", euros: 80 } }] };

const Chat = () => <Render glove={useGlove()} />;

export default () => (
  <Preview say="Refund the damaged one" tools={[refund]} script={[call, "Done."]}>
    <Chat />
  </Preview>
);
`,
};

const result: Part = {
  id: "result",
  name: "A tool's result",
  about:
    "What a tool returns is a component of yours in the conversation. It is there after a reload, and the tool does not run again.",
  guide: "docs/tool-results.html",
  props: [
    { name: "step", initial: "1", choices: ["0", "1", "2"] },
    { name: "courier", initial: "Anna" },
    { name: "fails", initial: "false", choices: yesNo },
  ],
  code: ({ step, courier, fails }) => `import { defineTool, Render, useGlove } from "glove-wasm/react";
import { z } from "zod";
import { Preview } from "./preview";

const steps = ["Packed", "On its way", "Delivered"];

const orderStatus = defineTool({
  name: "order_status",
  description: "Tells where an order is.",
  inputSchema: z.object({ order: z.string() }),
  title: ({ order }) => \`Order \${order}\`,
  async do({ order }) {
    if (${fails}) throw new Error("The warehouse does not answer.");
    const found = { step: ${step}, courier: ${text(courier)} };
    return { status: "success", data: { order, state: steps[found.step] }, renderData: found };
  },
  renderResult: ({ data, status, output }) =>
    status === "success" ? (
      <>
        <progress max={2} value={data.step} /> {steps[data.step]}
        <p>{data.courier} brings it.</p>
      </>
    ) : (
      <p>{output}</p>
    ),
});

const call = { toolCalls: [{ name: "order_status", input: { order: "A-1042" } }] };

const Chat = () => <Render glove={useGlove()} />;

export default () => (
  <Preview say="Where is my order?" tools={[orderStatus]} script={[call, "That is all I know."]}>
    <Chat />
  </Preview>
);
`,
};

const questions: Readonly<Record<string, string>> = {
  confirm: `{ message: "Deliver on Saturday?" }`,
  select: `{ message: "Which wood?", options: ["Oak", "Walnut", "Beech"] }`,
  input: `{ message: "Where to?", default: "12 Mill Lane" }`,
  secret: `{ message: "The token of your shop", key_name: "Token" }`,
};

const question: Part = {
  id: "question",
  name: "A question",
  about: "A tool stops and asks. The answer goes on from there, also after a reload.",
  guide: "docs/questions-to-a-person.html",
  props: [{ name: "renderer", initial: "select", choices: Object.keys(questions) }],
  code: ({ renderer = "select" }) => `import { defineTool, Render, useGlove } from "glove-wasm/react";
import { z } from "zod";
import { Preview } from "./preview";

const ask = defineTool({
  name: "ask",
  description: "Asks the person.",
  inputSchema: z.object({}),
  title: "A question",
  async do(_, display) {
    const answer = await display.pushAndWait(${questions[renderer]}, "${renderer}");
    return { status: "success", data: answer ?? null };
  },
});

const call = { text: "One thing before I order.", toolCalls: [{ name: "ask", input: {} }] };

const Chat = () => <Render glove={useGlove()} />;

export default () => (
  <Preview say="Order the desk" tools={[ask]} script={[call, "Thank you, it is ordered."]}>
    <Chat />
  </Preview>
);
`,
};

const theme: Part = {
  id: "theme",
  name: "Colours and type",
  about: "Three variables make it look like your product, and the rest follows and stays readable. Or take a finished theme.",
  guide: "docs/guides/theme.html",
  props: [
    { name: "theme", initial: "none", choices: ["none", "neutral", "warm", "slate", "contrast", "terminal"] },
    { name: "accent", initial: "#b4431f" },
    { name: "radius", initial: "6px", choices: ["0px", "6px", "12px", "20px"] },
    { name: "font", initial: "system-ui", choices: ["system-ui", "Georgia, serif", "ui-monospace, monospace"] },
  ],
  code: ({ theme, accent, radius, font }) => `import { Render, useGlove } from "glove-wasm/react";
import { Preview } from "./preview";

const look = ${theme === "none" ? `{ "--glove-accent": "${accent}", "--glove-radius": "${radius}", "--glove-font": "${font}" }` : "{}"} as React.CSSProperties;

function Chat() {
  return (
    <div${theme === "none" ? "" : ` data-glove-theme="${theme}"`} style={look}>
      <Render glove={useGlove()} suggestions={["What has no nuts?"]} />
    </div>
  );
}

export default () => (
  <Preview say="A rye loaf for Saturday, please" script={["With pleasure. It is ready from **seven**, and costs \`€4.20\`."]}>
    <Chat />
  </Preview>
);
`,
};

const fields: Part = {
  id: "fields",
  name: "Buttons and fields",
  about: "What your own components draw in the chat has its look: these by name, and plain elements too.",
  guide: "docs/chat-look.html#buttons-and-fields-by-name",
  props: [
    { name: "weight", initial: "go", choices: ["go", "danger", "plain", "quiet", "link"] },
    { name: "label", initial: "Name" },
    { name: "note", initial: "The table is kept for a quarter of an hour." },
    { name: "error", initial: "" },
    { name: "type", initial: "radio", choices: ["radio", "checkbox"] },
  ],
  code: ({
    weight,
    label,
    note,
    error,
    type,
  }) => `import { Button, Choice, defineTool, Field, Render, useGlove } from "glove-wasm/react";
import { z } from "zod";
import { Preview } from "./preview";

const book = defineTool({
  name: "book",
  description: "Books a table.",
  inputSchema: z.object({}),
  title: "A table for two",
  do: (_, display) => display.pushAndWait({}),
  render: ({ resolve }) => (
    <form
      data-glove-question=""
      onSubmit={(event) => {
        event.preventDefault();
        resolve("booked");
      }}
    >
      <Field label=${text(label)} name="name" note=${text(note)}${error ? ` error=${text(error)}` : ""} />
      <Choice type="${type}" name="place" value="in" defaultChecked>Inside</Choice>
      <Choice type="${type}" name="place" value="out">In the garden</Choice>
      <div data-glove-actions="">
        <Button weight="${weight}" type="submit">Book</Button>
      </div>
    </form>
  ),
});

const Chat = () => <Render glove={useGlove()} />;

export default () => (
  <Preview say="A table, please" tools={[book]} script={[{ toolCalls: [{ name: "book", input: {} }] }, "See you then."]}>
    <Chat />
  </Preview>
);
`,
};

const threads: Part = {
  id: "threads",
  name: "A list of conversations",
  about: "The conversations of this browser by day, with names, a search, and deleting that can be undone.",
  guide: "docs/guides/threads.html",
  props: [
    { name: "search", initial: "always", choices: ["always", "never"] },
    { name: "lang", initial: "en", choices: ["en", "de", "fr", "es", "ja"] },
  ],
  code: ({ search, lang }) => `import { ThreadList } from "glove-wasm/react";
import { Preview } from "./preview";

const threads = {
  "Night train to Vienna": 0,
  "A rye loaf for Saturday": 0,
  "Which orders are late?": 1,
  "A desk of oak, 160 cm": 4,
  "Refund for A-1042": 20,
};

export default () => (
  <Preview threads={threads}>
    <div style={{ width: 280, height: "100dvh" }}>
      <ThreadList search={${search === "never" ? "false" : text(search)}} lang="${lang}" />
    </div>
  </Preview>
);
`,
};

export const parts: readonly [Part, ...Part[]] = [chat, approval, result, question, theme, fields, threads];
