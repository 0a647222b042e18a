// A page with the built-in look: states made by hand for pictures and axe, and chats over the real core for what people do in them.
import {
  builtInRenderers,
  createEndpointModel,
  GloveClient,
  type GloveClientConfig,
  GloveError,
  type GloveHandle,
  GloveProvider,
  MemoryStore,
  Render,
  type RenderProps,
  type ShownEntry,
  type ShownSlot,
  type SlotProps,
  ThreadList,
  useGlove,
} from "glove-wasm/react";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import type { FunctionComponent, ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { z } from "zod";
import { Coming } from "../../js/react/outputs/coming.js";
import { answerWithAll, long, sample } from "./look-texts.js";

const at = Date.UTC(2026, 4, 12, 9, 30);
const user = (id: string, text: string, more = {}): ShownEntry => ({ kind: "user", id, text, at, ...more });
const agent = (id: string, text: string, more = {}): ShownEntry => ({ kind: "agent_text", id, text, at, ...more });
const tool = (id: string, more: Partial<Extract<ShownEntry, { kind: "tool" }>> = {}): ShownEntry => ({
  kind: "tool",
  id,
  name: "restart_service",
  input: { service: "checkout", region: "eu-west-1", drain: true },
  status: "success",
  output: '{"restarted":3,"took":"12 s"}',
  ...more,
});
const slot = (id: string, renderer: string, input: unknown, more: Partial<ShownSlot> = {}): ShownSlot => ({
  id,
  renderer,
  input,
  toolName: "t",
  toolCallId: "",
  createdAt: at,
  waits: true,
  displayStrategy: "stay",
  status: "pending",
  ...more,
});

type Parts = Partial<GloveHandle> & { readonly view?: Partial<RenderProps> };

const picture =
  "data:image/svg+xml," +
  encodeURIComponent(
    "<svg xmlns='http://www.w3.org/2000/svg' width='480' height='270'><rect width='480' height='270' fill='#88a'/><circle cx='330' cy='110' r='60' fill='#fd9'/><path d='M0 270 160 110 300 270z' fill='#446'/></svg>",
  );

const never = new Promise<never>(() => {});
const Never = (): ReactNode => {
  throw never;
};

const question = "Why did checkout slow down last night, and can you fix it?";
const title = "Restart Checkout";

/** Every state that a chat can be in. */
export const states: Readonly<Record<string, Parts>> = {
  empty: {
    view: {
      suggestions: ["What went wrong last night?", "Plan a day in Lisbon", { label: "Write a test", text: "Write a test." }],
    },
  },
  welcome: {
    view: {
      welcome: (
        <>
          <h1>Hello, Ann</h1>
          <p>I look after your orders: I can find them, send things back, and call a person.</p>
          <h2>Good to know</h2>
          <ul>
            <li>Nothing is paid before you allow it.</li>
            <li>What you say stays in this browser.</li>
          </ul>
        </>
      ),
      suggestions: ["Where is my order?", { label: "Send it back", text: "I want to send something back." }],
    },
  },
  messages: {
    timeline: [
      user("u1", question, { images: [picture] }),
      agent("a1", sample, { reasoning: "The user asks about latency. Look at the deploys first." }),
      user("u2", "Thanks! And how do I prove that it helped?"),
      agent("a2", "Compare the 95th percentile before and after **21:40**. It fell from 840 ms to 210 ms."),
    ],
  },
  // What can be done with an answer: the table sorts, the code folds, marks lead to sources.
  answers: {
    timeline: [
      user("u1", "Which service is slow, and how do I watch it?"),
      agent("a1", answerWithAll, {
        sources: [
          { url: "https://status.example/checkout/history/2026-05", title: "Status of checkout: history of May 2026" },
          { url: "https://docs.example/percentiles", title: "What a percentile says" },
        ],
      }),
    ],
    sessionId: "pictures",
    view: { onFeedback: () => {}, readAloud: true },
  },
  // A result that can be opened at the side, and one whose part of the page is on its way.
  results: {
    timeline: [
      user("u1", "List all services, and draw the load."),
      tool("c1", { name: "list", title: "List the services", renderData: 24 }),
      tool("c2", { name: "draw", title: "Draw the load", renderData: 0 }),
      agent("a1", "Checkout has the most errors."),
    ],
    renderToolResult: ({ name, renderData }) =>
      name === "draw" ? (
        <Coming>
          <Never />
        </Coming>
      ) : name === "list" ? (
        <table>
          <tbody>
            {Array.from({ length: renderData as number }, (_, at) => `service-${at + 1}`).map((service) => (
              <tr key={service}>
                <td>{service}</td>
                <td>eu-west-1</td>
                <td>healthy</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null,
  },
  branches: {
    timeline: [
      user("u1", "Plan a day in Lisbon with children.", { branches: { index: 1, ids: ["u0", "u1", "u9"] } }),
      tool("c1", { title: "Look up the weather", branches: { index: 0, ids: ["c1", "c2"] } }),
      agent("a1", "Start at the oceanarium, then take the cable car along the river.", {
        branches: { index: 1, ids: ["a0", "a1"] },
      }),
    ],
  },
  editing: {
    timeline: [user("u1", question), agent("a1", "It began at 21:04, with the deploy of checkout.")],
    streamingText: "Looking further into",
    busy: true,
    queue: [{ id: "q1", text: "And tell Ann." }],
    cancelQueued: () => true,
  },
  files: {
    timeline: [
      user("u1", "Compare these.", {
        images: [picture, picture, picture],
        files: [
          { name: "report-of-the-third-quarter-with-all-the-figures.pdf", type: "application/pdf", size: 1_234_567 },
          { name: "notes.txt", type: "text/plain", size: 812 },
        ],
      }),
      agent("a1", "The second picture is larger than the report says."),
      user("u2", "And this one?", { images: [picture], leftOut: true }),
    ],
    run: { phase: "paused" },
    resume: () => {},
    edit: () => {},
  },
  working: { timeline: [user("u1", question)], busy: true },
  streaming: {
    timeline: [user("u1", question)],
    busy: true,
    streamingReasoning: "Deploys first.",
    streamingText: `${sample.slice(0, 420)}`,
  },
  cards: {
    timeline: [
      user("u1", "Restart what is slow."),
      tool("c1", { title }),
      tool("c2", { title: "Restart Search", status: "running", output: undefined as never }),
      tool("c3", { status: "error", outcome: "failed", output: "The service did not come back within 30 s." }),
      tool("c4", { title: "Delete the cache", status: "error", outcome: "denied", output: "Not allowed." }),
      tool("c5", { title: "Read the logs", status: "aborted", output: "Stopped." }),
      tool("c6", { title: "Scale to 12", undone: true }),
      agent("a1", "Checkout runs again. Search is on its way; I could not do two things."),
    ],
    streamingCalls: [{ id: "c7", name: "send_report", input: { to: "ops" }, at: "/to" }],
    busy: true,
  },
  // Thoughts, calls that went well and what they show, on one thread.
  thread: {
    timeline: [
      user("u1", "Which chair fits to my desk?"),
      tool("c1", { name: "lookup", input: { query: "chairs" }, durationMs: 1_240, reasoning: "Chairs first." }),
      tool("c2", { name: "lookup", input: { query: "oak desks" }, durationMs: 820 }),
      tool("c3", { name: "lookup", input: { query: "sizes" }, durationMs: 90 }),
      agent("a1", "There are two."),
      tool("c4", { name: "compare", input: { first: "Olga" }, durationMs: 640, reasoning: "Compare them." }),
      tool("c5", { name: "show", input: { chair: "Olga" }, durationMs: 12 }),
      tool("c6", { name: "measure", input: { room: "study" }, status: "running", output: undefined as never }),
    ],
    renderToolResult: ({ id }: { readonly id: string }) => (id === "c5" ? <PlainResult /> : null),
    streamingReasoning: "The study is small, so the smaller one may",
    busy: true,
  },
  // A result that does not fit on its card.
  large: {
    timeline: [
      user("u1", "Which services are there?"),
      tool("c1", {
        title: "List the services",
        output: JSON.stringify(
          Array.from({ length: 24 }, (_, at) => ({ name: `service-${at}`, region: "eu-west-1", note: "Answers within 30 ms." })),
        ),
      }),
      agent("a1", "There are 24."),
    ],
  },
  // What can be taken back.
  undo: {
    timeline: [
      user("u1", "Put a lamp, a chair with a very long name that does not fit beside anything, and a desk into my cart."),
      tool("c1", { title: "Add the lamp", durationMs: 420 }),
      tool("c2", { title: "Add the chair with a very long name that does not fit beside anything on a phone" }),
      tool("c3", { title: "Add the bench", undone: true }),
      tool("c4", { title: "Add the desk", durationMs: 90 }),
      agent("a1", "All of it is in your cart."),
    ],
    renderToolResult: ({ id }: { readonly id: string }) => (id === "c4" ? <PlainResult /> : null),
    undoable: ["c4", "c2", "c1"].map((toolCallId) => ({ toolCallId, toolName: "add" })),
    undo: () => Promise.resolve({ type: "undone", steps: 0, error: "It is on its way." }),
  },
  danger: {
    timeline: [user("u1", "Pay it back"), tool("c1", { title: "Refund", status: "pending", output: undefined as never })],
    slots: [
      slot(
        "s1",
        "approval_request",
        {
          toolName: "refund",
          title: "Refund",
          confirm: "Refund €80 to order A-1042?",
          act: "Refund",
          danger: true,
          reason: "Refunds above 50 € need your approval.",
          toolInput: { order: "A-1042", euros: 80, note: "Broken on arrival" },
        },
        { toolCallId: "c1" },
      ),
    ],
    busy: true,
  },
  turns: {
    timeline: [
      user("u1", "Look up the four orders.", { error: new GloveError("MODEL_OVERLOADED", "The provider had too much to do.") }),
      user("u2", "Please try it again."),
      ...["A-1042", "A-1043", "A-1044", "A-1045"].map((order, at) =>
        tool(`c${at}`, {
          title: `Look up order ${order}`,
          status: "running",
          output: undefined as never,
          ...(at > 0 && { queued: true }),
        }),
      ),
    ],
    busy: true,
  },
  tasks: {
    timeline: [
      user("u1", "Plan our day in Lisbon."),
      ...[1, 3].map((done) =>
        tool(`c${done}`, {
          name: "glove_update_tasks",
          input: {
            todos: [
              "Look up the weather",
              "Find a place for lunch",
              "Choose a museum that children like",
              "Book the tickets",
            ].map((content, at) => ({
              content,
              activeForm: ["Looking up", "Finding lunch", "Choosing a museum", "Booking the tickets"][at],
              status: at < done ? "completed" : at === done ? "in_progress" : "pending",
            })),
          },
          output: "{}",
        }),
      ),
      tool("c9", { title: "Book four tickets for the oceanarium", status: "running", output: undefined as never }),
    ],
    busy: true,
  },
  "long-titles": {
    timeline: [
      user("u1", "Set it up, and tell me what went wrong."),
      tool("c1", {
        title: "Send the report of the third quarter to the finance team",
        status: "error",
        outcome: "failed",
        output: "The mail server did not take the report: it is larger than 25 MB.\n  at send (mail.ts:12)",
      }),
      tool("c2", { title: "Choose the region of the new service", status: "running", output: undefined as never }),
    ],
    slots: [slot("s1", "input", { message: "Which name should the service have?" }, { toolCallId: "c2" })],
    busy: true,
  },
  permission: {
    timeline: [user("u1", "Restart checkout"), tool("c1", { title, status: "pending", output: undefined as never })],
    slots: [
      slot(
        "s1",
        "permission_request",
        { toolName: "restart_service", title, toolInput: { service: "checkout", region: "eu-west-1", drain: true } },
        { toolCallId: "c1" },
      ),
    ],
    busy: true,
  },
  approval: {
    timeline: [
      user("u1", "Pay the invoice"),
      tool("c1", { title: "Pay 1,200 € to Acme", status: "pending", output: undefined as never }),
    ],
    slots: [
      slot(
        "s1",
        "approval_request",
        {
          toolName: "pay",
          title: "Pay 1,200 € to Acme",
          reason: "Payments above 1,000 € need your approval.",
          toolInput: { invoice: "2026-117", amount: 1200 },
        },
        { toolCallId: "c1" },
      ),
    ],
    busy: true,
  },
  "mcp-form": {
    timeline: [
      user("u1", "Book a table"),
      tool("c1", { title: "tables: Book (book)", status: "pending", output: undefined as never }),
    ],
    slots: [
      slot(
        "s1",
        "mcp_form",
        {
          server: "tables",
          message: "Who comes, and when?",
          schema: {
            properties: {
              name: { type: "string", title: "Name", description: "As on the card" },
              day: { type: "string", format: "date", title: "Day" },
              seats: { type: "integer", title: "Seats", default: 2 },
              inside: { type: "boolean", title: "Inside", default: true },
              meal: { type: "string", title: "Menu", enum: ["Vegetables", "Fish"], default: "Fish" },
              wine: { type: "string", title: "Wine", enum: ["Red", "White"] },
              extras: { type: "array", title: "Extras", items: { enum: ["Cake", "Flowers"] } },
            },
            required: ["name", "meal"],
          },
          content: { seats: 12, inside: true, meal: "Fish" },
          issues: [{ path: ["seats"], message: "must be at most 8" }],
        },
        { toolCallId: "c1" },
      ),
    ],
    busy: true,
  },
  "mcp-link": {
    timeline: [user("u1", "Pay it"), tool("c1", { title: "bank: Pay (pay)", status: "pending", output: undefined as never })],
    slots: [
      slot(
        "s1",
        "mcp_link",
        { server: "bank", message: "Pay there.", url: "https://bank.example/pay?id=2026-117" },
        { toolCallId: "c1" },
      ),
    ],
    busy: true,
  },
  "approval-long": {
    timeline: [user("u1", "Clean up"), tool("c1", { title: "Run a script", status: "pending", output: undefined as never })],
    slots: [
      slot(
        "s1",
        "approval_request",
        {
          toolName: "run_script",
          title: "Run a script",
          toolInput: { path: "report\u202efdp.exe", code: `${"await check(service);\n".repeat(700)}deleteEverything();` },
        },
        { toolCallId: "c1" },
      ),
    ],
    busy: true,
  },
  edit: {
    timeline: [user("u1", "Mend it"), tool("c1", { title: "Edit a file", status: "pending", output: undefined as never })],
    slots: [
      slot(
        "s1",
        "permission_request",
        {
          toolName: "edit_file",
          title: "Edit a file",
          toolInput: {
            path: "src/server/payments/checkout.ts",
            old: 'export async function pay(order: Order) {\n  const total = sum(order.lines);\n  await bank.charge(order.card, total);\n  return "paid";\n}',
            new: 'export async function pay(order: Order) {\n  const total = sum(order.lines);\n  if (total <= 0) return "nothing to pay";\n  await bank.charge(order.card, total, { once: order.id });\n  return "paid";\n}',
          },
        },
        { toolCallId: "c1" },
      ),
    ],
    busy: true,
  },
  // What a machine reads, and a value that is one very long line.
  code: {
    timeline: [user("u1", "Clear the cache"), tool("c1", { title: "Run", status: "pending", output: undefined as never })],
    slots: [
      slot(
        "s1",
        "approval_request",
        {
          toolName: "run_command",
          title: "Run",
          confirm: "Run a command on checkout-2?",
          act: "Run",
          toolInput: {
            command: "kubectl exec checkout-2 -- sh -c 'redis-cli --scan --pattern \"cart:*\" | xargs redis-cli del'",
            token: "a1b2c3d4".repeat(400),
            timeout: 30,
          },
        },
        { toolCallId: "c1" },
      ),
    ],
    busy: true,
  },
  // A turn that failed behind its calls.
  "failed-turn": {
    timeline: [
      user("u1", "Which orders are late?"),
      tool("c1", { title: "Look up the orders", durationMs: 1_240 }),
      tool("c2", { title: "Ask the carrier", durationMs: 4_100 }),
    ],
    error: new GloveError("MODEL_OVERLOADED", "The provider answered 529: overloaded."),
    run: { phase: "paused" },
    resume: () => {},
  },
  // A text in the arguments, and the list of tasks of a turn that has written it four times.
  mail: {
    timeline: [
      user("u1", "Tell Ann how it went."),
      ...[0, 1, 2].map((done) =>
        tool(`t${done}`, {
          name: "glove_update_tasks",
          title: undefined as never,
          input: {
            todos: ["Find what was slow", "Mend it", "Tell Ann"].map((content, at) => ({
              content,
              status: at < done ? "completed" : at === done ? "in_progress" : "pending",
            })),
          },
        }),
      ),
      tool("c1", { title: "Send a mail to Ann", status: "pending", output: undefined as never }),
    ],
    slots: [
      slot(
        "s1",
        "approval_request",
        {
          toolName: "send_mail",
          title: "Send a mail to Ann",
          confirm: "Send this mail to Ann?",
          act: "Send",
          toolInput: {
            mail: {
              to: "ann@example.com",
              subject: "Checkout is fast again",
              body: "Dear Ann,\n\nthe deploy of 21:04 had switched the cache off. It is on again, and checkout answers in 210 ms.\n\nBest regards,\nOperations",
            },
          },
        },
        { toolCallId: "c1" },
      ),
    ],
    busy: true,
  },
  // Two calls ask at once: one question is open.
  "two-questions": {
    timeline: [
      user("u1", "Set up two services"),
      tool("c1", { title: "Choose a region", status: "running", output: undefined as never }),
      tool("c2", { title: "Name the service", status: "running", output: undefined as never }),
      tool("c3", { title: "Restart Checkout", status: "pending", output: undefined as never }),
    ],
    slots: [
      slot("s1", "select", { message: "Where should it run?", options: ["Frankfurt", "Dublin"] }, { toolCallId: "c1" }),
      slot("s2", "input", { message: "Which name should the service have?" }, { toolCallId: "c2" }),
      slot(
        "s3",
        "approval_request",
        { toolName: "restart_service", title: "Restart Checkout", toolInput: { service: "checkout" } },
        { toolCallId: "c3" },
      ),
    ],
    busy: true,
  },
  names: {
    timeline: [
      user("u1", "Open what came"),
      tool("c1", { title: "Open \u202egnp.exe", status: "pending", output: undefined as never }),
    ],
    slots: [
      slot("s1", "select", {
        message: "Which of these do you mean? \u202e!siht daeR",
        options: [
          "report\u202efdp.exe",
          "گزارش می‌خواهم.pdf",
          "דוח שנתי.pdf",
          "葛󠄀飾区　太郎.pdf",
          "👩🏽‍🚀 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 trip.pdf",
          "in\u200bvoice.pdf",
        ],
      }),
    ],
    busy: true,
  },
  forms: {
    timeline: [user("u1", "Set it up")],
    slots: [
      slot(
        "s1",
        "input",
        { message: "Which name should the service have?", default: "checkout" },
        { error: "This name is taken." },
      ),
      slot("s2", "select", { message: "Where should it run?", options: ["Frankfurt", "Dublin", "Oregon"] }),
      slot("s3", "confirm", { message: "Deploy it now?" }),
      slot("s4", "input", { message: "Which port?" }, { status: "resolved", answer: "8080" }),
      slot("s5", "info", { title: "Note", message: "The build takes about a minute." }, { waits: false }),
    ],
    busy: true,
  },
  // What an application draws with elements that have no class.
  plain: {
    timeline: [
      user("u1", "Book a table"),
      tool("c1", { title: "Book a table", status: "pending", output: undefined as never }),
      tool("c2", { title: "Look up the menu" }),
    ],
    slots: [slot("s1", "plain", {}, { toolCallId: "c1" })],
    renderToolResult: ({ id }: { readonly id: string }) => (id === "c2" ? <PlainResult /> : null),
    busy: true,
  },
  error: {
    timeline: [user("u1", question)],
    error: new GloveError("MODEL_RATE_LIMIT", "The model's provider answered 429: Rate limit reached for requests.", {
      retryAfter: 20_000,
      retryable: true,
    }),
    run: { phase: "paused" },
    resume: () => {},
  },
  waiting: {
    timeline: [user("u1", question)],
    busy: true,
    status: "submitted",
    // Never over while somebody looks.
    waiting: { code: "MODEL_RATE_LIMIT", until: Date.now() + 19_500 },
    warning: { code: "STORAGE_MEMORY" },
  },
  notSetUp: {
    timeline: [user("u1", question)],
    error: new GloveError(
      "MODEL_NOT_FOUND",
      "model: m; api.anthropic.com has no model `m` for this key: set `model` to one that it has",
      {
        status: 404,
      },
    ),
    run: { phase: "paused" },
    resume: () => {},
  },
  stopped: {
    timeline: [user("u1", question), agent("a1", "It began at 21:04 with the deploy of", { partial: true, stopped: true })],
    regenerate: () => {},
  },
  cut: {
    timeline: [user("u1", question), agent("a1", "It began at 21:04 with the deploy of", { partial: true })],
    run: { phase: "paused" },
    resume: () => {},
  },
  queue: {
    timeline: [user("u1", question), agent("a1", "I am looking at the deploys.")],
    busy: true,
    queue: [
      { id: "q1", text: "Then write a short report for the team." },
      { id: "q2", text: "And tell Ann." },
    ],
    cancelQueued: () => true,
  },
  steering: {
    timeline: [user("u1", question), tool("c1", { status: "running" })],
    busy: true,
    queue: [
      { id: "q1", text: "Leave the payments alone.", steers: true },
      { id: "q2", text: "Then write a short report for the team, with a table of what was slow and for how long." },
      { id: "q3", text: "And tell Ann." },
    ],
    cancelQueued: () => true,
    moveQueued: () => true,
    sendNow: () => true,
    edit: () => {},
  },
  questions: {
    timeline: [user("u1", "Plan a day in Lisbon with children."), agent("a1", "Three things first.")],
    slots: [
      slot("s1", "questions", {
        questions: [
          {
            message: "What do the children like?",
            options: ["Animals and the sea", "Trams and trains", "Playgrounds"],
            required: true,
          },
          "Anything to leave out?",
        ],
      }),
      slot(
        "s2",
        "questions",
        { questions: [{ message: "How many are you?", options: ["Two", "Three", "Four"] }, "Any allergies?"] },
        { status: "resolved", answer: ["Four", null] },
      ),
    ],
  },
  limit: {
    timeline: [
      user("u1", question),
      agent("a1", "It began at 21:04 with the deploy of checkout, which opened a connection for each", { atLimit: true }),
    ],
    stats: { tokens_in: 0, tokens_out: 0, turns: 3, contextTokens: 94_000, contextLimit: 100_000 },
    regenerate: () => {},
    view: { disclaimer: "Answers may be wrong." },
  },
  context: {
    timeline: [user("u1", question), agent("a1", "It began at 21:04 with the deploy of checkout.")],
    stats: { tokens_in: 0, tokens_out: 0, turns: 3, contextTokens: 31_000, contextLimit: 100_000 },
    view: { contextMeter: true },
  },
  compaction: {
    timeline: [
      { kind: "compaction", id: "k", text: "" },
      user("u1", "مرحبا، كيف يمكنني إعادة تشغيل الخدمة؟"),
      agent("a1", "بالتأكيد. افتح لوحة التحكم ثم اختر **إعادة التشغيل**:\n\n1. افتح `services`\n2. اختر الخدمة"),
    ],
  },
};

const PlainForm = () => (
  <form>
    <h3>A table for two</h3>
    <p>Tell us when you come. We keep it for a quarter of an hour.</p>
    <p>
      <label htmlFor="plain-name">Name</label> <input id="plain-name" placeholder="Ada Lovelace" />
    </p>
    <label>
      Day <input type="date" />
    </label>
    <label>
      Where{" "}
      <select defaultValue="in">
        {["in", "out"].map((at) => (
          <option key={at}>{at}</option>
        ))}
      </select>
    </label>
    <label>
      Wishes <textarea rows={2} />
    </label>
    <fieldset>
      <legend>Guests</legend>
      <label>
        <input type="radio" name="guests" defaultChecked /> Two
      </label>
      <label>
        <input type="radio" name="guests" /> Three
      </label>
      <label>
        <input type="checkbox" defaultChecked /> With a dog
      </label>
      <label>
        Noise <input type="range" />
      </label>
      <label>
        Menu <input type="file" />
      </label>
    </fieldset>
    <p>
      <button type="submit">Book it</button> <button type="button">Ask again</button>{" "}
      <button type="button" disabled>
        Not yet
      </button>
    </p>
  </form>
);

const PlainResult = () => (
  <div>
    <h4>Today</h4>
    <ul>
      <li>Soup</li>
      <li>
        <a href="https://example.com/bread">Bread</a>
      </li>
    </ul>
    <table>
      <tbody>
        <tr>
          <th>Soup</th>
          <td>€ 6</td>
        </tr>
        <tr>
          <th>Bread</th>
          <td>€ 2</td>
        </tr>
      </tbody>
    </table>
    <button type="button">Order</button>{" "}
    <button type="button" className="own">
      Of the application
    </button>
  </div>
);

function HandMade({ name }: { readonly name: string }) {
  const { view, ...parts } = states[name] ?? {};
  const glove: GloveHandle = {
    timeline: [],
    streamingText: "",
    busy: false,
    slots: [],
    sendMessage: () => {},
    abort: () => {},
    regenerate: () => {},
    edit: () => {},
    switchBranch: () => {},
    renderSlot: (shown) => {
      const Drawn = (shown.renderer === "plain" ? PlainForm : builtInRenderers[shown.renderer]) as FunctionComponent<SlotProps>;
      const { id, input, status, answer, error } = shown;
      return (
        <div key={id} data-glove-slot={id} style={{ display: "contents" }}>
          <Drawn data={input} status={status} resolve={() => true} reject={() => {}} answer={answer} {...(error && { error })} />
        </div>
      );
    },
    renderToolResult: () => null,
    resolveSlot: () => {},
    rejectSlot: () => {},
    ...parts,
  };
  return <Render glove={glove} {...view} />;
}

let root: Root | undefined;

function mount(node: ReactNode): void {
  root?.unmount();
  document.querySelector("main")?.remove();
  const main = document.body.appendChild(document.createElement("main"));
  main.dataset.glovePage = "";
  root = createRoot(main);
  root.render(node);
}

interface ChatOptions extends Partial<GloveClientConfig> {
  readonly view?: Partial<RenderProps>;
  readonly sessionId?: string;
}

/** A chat over the real core, whose model answers from this script. */
function chat(
  script: ScriptedAnswer[] | Parameters<typeof createScriptedModel>[0],
  { view, sessionId, ...config }: ChatOptions = {},
): GloveClient {
  const model = createScriptedModel(script);
  const client = new GloveClient({ createModel: () => model, systemPrompt: "You are a test.", ...config });
  const Page = () => <Render glove={useGlove({ sessionId })} {...view} />;
  mount(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  return client;
}

/** An answer that comes in small pieces, with so many milliseconds before each. */
const pieces = (text: string, every: number) => ({ deltas: text.match(/[\s\S]{1,8}/g) ?? [], every });

/** The list of its conversations, in a place of its own. */
function list(client: GloveClient): void {
  createRoot(document.body.appendChild(document.createElement("aside"))).render(
    <GloveProvider client={client}>
      <ThreadList />
    </GloveProvider>,
  );
}

Object.assign(globalThis, {
  chat,
  list,
  createEndpointModel,
  pieces,
  z,
  GloveError,
  MemoryStore,
  long,
  sample,
  states,
  show: (name: string) => mount(<HandMade name={name} />),
});
