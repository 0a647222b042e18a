// A chat that is drawn from the AI SDK's own parts alone, in every state that those have, as components written for it do.
import { useChat } from "@ai-sdk/react";
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { defineTool, GloveClient } from "glove-wasm";
import { createChatTransport, toUIMessages } from "glove-wasm/ai-sdk";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";
import { z } from "zod";

const pay = defineTool({
  name: "pay",
  description: "Sends money.",
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: ({ euros }) => euros > 100,
  idempotent: true,
  async do({ euros }, display) {
    const answer = await fetch("/pay", { method: "POST", headers: { "idempotency-key": display.idempotencyKey } });
    if (!answer.ok) throw new Error(`The bank answers ${answer.status}.`);
    display.displayWidget("receipt", { euros });
    return { paid: euros };
  },
});

const counted = Array.from({ length: 12 }, (_, nth) => `${nth + 1}, `);

const client = new GloveClient({
  systemPrompt: "",
  tools: [pay],
  createModel: () =>
    createScriptedModel(({ messages }) => {
      const said = messages.findLast(({ sender, tool_results }) => sender === "user" && !tool_results)?.text ?? "";
      const last = messages.at(-1)?.tool_results?.[0]?.result;
      if (last) return last.status === "success" ? "It is paid." : "It is not paid.";
      const [, euros] = /(\d+)/.exec(said) ?? [];
      if (euros) return { reasoning: "Money.", toolCalls: [{ name: "pay", input: { euros: Number(euros) } }] };
      if (said === "Count") return { deltas: counted, every: 150 };
      if (said === "Wait") return { deltas: ["I ", "wait"], every: 200, after: 60_000 };
      return `You said ${said}, and I have said ${messages.filter(({ sender }) => sender === "agent").length} things.`;
    }),
});
const transport = createChatTransport(client);

type Part = UIMessage["parts"][number];

function Drawn({ part, answer }: { readonly part: Part; readonly answer: (id: string, approved: boolean) => void }) {
  if (part.type === "text") return <p data-state={part.state}>{part.text}</p>;
  if (part.type === "reasoning") return <details>{part.text}</details>;
  if (part.type === "data-output") return <code>{JSON.stringify(part.data)}</code>;
  if (!isToolUIPart(part)) return null;
  return (
    <section aria-label={part.type} data-state={part.state}>
      <pre>{JSON.stringify(part.input)}</pre>
      {part.state === "approval-requested" && (
        <>
          <button type="button" onClick={() => answer(part.approval.id, true)}>
            Yes
          </button>
          <button type="button" onClick={() => answer(part.approval.id, false)}>
            No
          </button>
        </>
      )}
      {part.state === "output-available" && <output>{JSON.stringify(part.output)}</output>}
      {part.state === "output-error" && <b role="alert">{part.errorText}</b>}
    </section>
  );
}

function Chat({ stored }: { readonly stored: UIMessage[] }) {
  const chat = useChat({
    id: "s1",
    transport,
    messages: stored,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const answer = (id: string, approved: boolean) => void chat.addToolApprovalResponse({ id, approved, reason: "as asked" });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem("say") as HTMLInputElement;
        void chat.sendMessage({ text: field.value });
        field.value = "";
      }}
    >
      <h1>{chat.status}</h1>
      {chat.messages.map(({ id, role, parts }) => (
        <article key={id} aria-label={role}>
          {parts.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added.
            <Drawn key={at} part={part} answer={answer} />
          ))}
        </article>
      ))}
      <input name="say" aria-label="Say" />
      <button type="button" onClick={() => void chat.regenerate()}>
        Again
      </button>
      <button type="button" onClick={() => void chat.stop()}>
        Stop
      </button>
    </form>
  );
}

const session = client.session("s1");
await session.start();
createRoot(document.querySelector("main") as Element).render(<Chat stored={toUIMessages(session)} />);
