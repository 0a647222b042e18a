// A whole chat of these parts. They are yours: change what you like.
import { type GloveClient, GloveProvider, Thread, useGlove } from "glove-wasm/react";
import { approvals } from "./approval";
import { Composer } from "./composer";
import { MessageList } from "./message-list";
import { questions } from "./question";
import { Threads } from "./threads";

const renderers = { ...approvals, ...questions };

function Conversation({ suggestions }: { suggestions?: readonly string[] | undefined }) {
  const glove = useGlove();
  return (
    <Thread glove={glove} className="flex min-h-0 flex-col bg-background text-foreground">
      <MessageList glove={glove} {...(suggestions && { suggestions })} />
      <Composer />
    </Thread>
  );
}

export function Chat({ client, suggestions }: { client: GloveClient; suggestions?: readonly string[] }) {
  return (
    <GloveProvider client={client} renderers={renderers}>
      <div className="glove-chat grid h-dvh grid-rows-[auto_minmax(0,1fr)] bg-background text-foreground md:grid-cols-[16rem_minmax(0,1fr)] md:grid-rows-1">
        <details className="max-h-72 overflow-y-auto border-b border-border md:hidden">
          <summary className="cursor-pointer px-4 py-3 text-sm">Conversations</summary>
          <Threads />
        </details>
        <div className="hidden min-h-0 border-e border-border md:grid">
          <Threads />
        </div>
        <main className="grid min-h-0">
          <h1 className="sr-only">Chat</h1>
          <Conversation suggestions={suggestions} />
        </main>
      </div>
    </GloveProvider>
  );
}
