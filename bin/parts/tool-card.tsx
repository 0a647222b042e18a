// The card of a tool's call: what it does, how far it is, and what it shows or asks.
import { ToolCard as Card, type ShownEntry, type ToolEntry, type UseGloveReturn } from "glove-wasm/react";
import { Fragment } from "react";

const dots: Record<string, string> = {
  done: "bg-emerald-600",
  failed: "bg-destructive",
  waiting: "bg-amber-500",
  running: "animate-pulse bg-primary",
};

export function ToolCard({ glove, entry }: { glove: UseGloveReturn; entry: ToolEntry & ShownEntry }) {
  const slots = glove.slots.filter(({ toolCallId }) => toolCallId === entry.id);
  const asks = slots.some(({ waits, status }) => waits && status === "pending");
  return (
    <Card entry={entry} hasSlot={asks}>
      {({ title, state, label, input, output }) => (
        <div className="rounded-xl border border-border bg-card shadow-xs" data-state={state}>
          <header className="flex items-center gap-3 px-4 py-3 text-sm">
            <span
              aria-hidden="true"
              className={`size-2 shrink-0 rounded-full ${dots[asks ? "waiting" : state] ?? "bg-muted-foreground"}`}
            />
            <span className="min-w-0 flex-1 truncate font-medium">{title}</span>
            <span className="text-muted-foreground">{label}</span>
          </header>
          <div className="flex flex-col gap-3 px-4 pb-4 empty:hidden">
            {slots.map((slot) => (
              <Fragment key={slot.id}>{glove.renderSlot(slot)}</Fragment>
            ))}
            {glove.renderToolResult(entry)}
            {entry.outputs?.map((shown, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a call shows what it shows in this order.
              <Fragment key={`${at}-${shown.type}`}>{glove.renderOutput(shown)}</Fragment>
            ))}
          </div>
          {!asks && (
            <details className="border-t border-border px-4 py-2 text-xs text-muted-foreground">
              <summary className="cursor-pointer">Details</summary>
              <pre dir="ltr" className="mt-2 overflow-x-auto font-mono whitespace-pre-wrap">
                {JSON.stringify(input, null, 2)}
              </pre>
              {output !== undefined && (
                <pre dir="ltr" className="mt-2 overflow-x-auto font-mono whitespace-pre-wrap">
                  {output}
                </pre>
              )}
            </details>
          )}
        </div>
      )}
    </Card>
  );
}
