// `defineAgent` for pages: its conversation is drawn in the card of its call.
import type { ReactNode } from "react";
import type { AgentDefinition } from "../../src/agents/agent.js";
import { type AgentTask, defineAgent as define } from "../../src/agents/define-agent.js";
import type { SlotRenderProps, ToolConfig } from "../../src/ports/tool.js";
import { GloveProvider } from "../hooks/provider.js";
import { useGlove } from "../hooks/use-glove.js";
import { Render } from "../render/render.js";

/**
 * An agent as a tool: the model gives it a task and gets its answer. Its run is a conversation of its own, stored beside the one that calls it and
 * drawn in the card of the call, with its questions; it goes on after a reload, and stopping the outer run stops it. Calls may run at the same time.
 */
export function defineAgent<const N extends string>(
  definition: AgentDefinition<N>,
): ToolConfig<AgentTask> & { readonly name: N } {
  // Below a provider of its own, so that the selectors of the page stay on the page's conversation.
  // That a person is asked there is drawn there.
  const render = ({ data }: SlotRenderProps<{ readonly session: string; readonly waits?: true }>) =>
    data.waits ? null : (
      <GloveProvider>
        <Conversation agent={definition} id={data.session} />
      </GloveProvider>
    );
  return { ...define(definition), render: Object.assign(render, { displayName: `Agent(${definition.name})` }) };
}

/** Only the agent that called it says more, or asks again. */
function Conversation({ agent, id }: { readonly agent: AgentDefinition; readonly id: string }): ReactNode {
  const { name, systemPrompt, tools = none, model } = agent;
  const { regenerate: _, edit: __, ...glove } = useGlove({ sessionId: id, systemPrompt, tools, model, persistSession: false });
  return (
    <section aria-label={name} data-glove-agent={name}>
      <Render glove={glove} renderInput={nothing} welcome={null} attachments={false} style={card} />
    </section>
  );
}

/** As high as what is in it. */
const card = { height: "auto", background: "none" } as const;
const nothing = () => null;
const none: readonly ToolConfig[] = [];
