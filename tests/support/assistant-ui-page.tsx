// A chat of assistant-ui on our transport, with the parts that it has for what a person does: approvals, stop, edits, branches.
import { useChat } from "@ai-sdk/react";
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  BranchPickerPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from "@assistant-ui/react";
import { useAISDKRuntime } from "@assistant-ui/react-ai-sdk";
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
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
    await fetch("/pay", { method: "POST", headers: { "idempotency-key": display.idempotencyKey } });
    return { paid: euros };
  },
});

const client = new GloveClient({
  systemPrompt: "",
  tools: [pay],
  createModel: () =>
    createScriptedModel(({ messages }) => {
      const last = messages.at(-1);
      const result = last?.tool_results?.[0]?.result;
      if (result) return result.status === "success" ? "It is paid." : "It is not paid.";
      const [, euros] = /(\d+)/.exec(last?.text ?? "") ?? [];
      if (euros) return { toolCalls: [{ name: "pay", input: { euros: Number(euros) } }] };
      if (last?.text === "Wait") return { text: "Never", after: 60_000 };
      return { deltas: ["You ", "said ", `${last?.text}.`], every: 30 };
    }),
});
const transport = createChatTransport(client);

const Call = ({ toolName, args, status, result, approval, respondToApproval }: ToolCallMessagePartProps) => (
  <section aria-label={toolName} data-state={status.type}>
    <pre>{JSON.stringify(args)}</pre>
    {approval && approval.approved === undefined && (
      <>
        <button type="button" onClick={() => void respondToApproval({ approved: true })}>
          Yes
        </button>
        <button type="button" onClick={() => void respondToApproval({ approved: false })}>
          No
        </button>
      </>
    )}
    {result !== undefined && <output>{JSON.stringify(result)}</output>}
  </section>
);

const parts = { tools: { Fallback: Call } };

const Said = () => (
  <MessagePrimitive.Root>
    <article aria-label="user">
      <MessagePrimitive.Parts />
      <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
      <BranchPickerPrimitive.Root>
        <BranchPickerPrimitive.Previous>Previous</BranchPickerPrimitive.Previous>
        <BranchPickerPrimitive.Number />/<BranchPickerPrimitive.Count />
      </BranchPickerPrimitive.Root>
    </article>
  </MessagePrimitive.Root>
);
const Editor = () => (
  <ComposerPrimitive.Root>
    <ComposerPrimitive.Input aria-label="Edit" />
    <ComposerPrimitive.Send>Save</ComposerPrimitive.Send>
  </ComposerPrimitive.Root>
);
const Answer = () => (
  <MessagePrimitive.Root>
    <article aria-label="assistant">
      <MessagePrimitive.Parts components={parts} />
      <ActionBarPrimitive.Reload>Again</ActionBarPrimitive.Reload>
    </article>
  </MessagePrimitive.Root>
);
const components = { UserMessage: Said, AssistantMessage: Answer, UserEditComposer: Editor };

function Chat({ stored }: { readonly stored: UIMessage[] }) {
  const chat = useChat({
    id: "s1",
    transport,
    messages: stored,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <AssistantRuntimeProvider runtime={useAISDKRuntime(chat)}>
      <h1>{chat.status}</h1>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={components} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Say" />
          <ThreadPrimitive.If running={false}>
            <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          </ThreadPrimitive.If>
          <ThreadPrimitive.If running>
            <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
          </ThreadPrimitive.If>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

const session = client.session("s1");
await session.start();
createRoot(document.querySelector("main") as Element).render(<Chat stored={toUIMessages(session)} />);
