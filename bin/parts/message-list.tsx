// The messages: what was said, the calls of tools in between, what is being written, and what went wrong.
import {
  BranchPicker,
  CopyButton,
  EditableMessage,
  EditButton,
  ErrorNotice,
  MessageEditor,
  MessageText,
  Queue,
  RegenerateButton,
  type ShownEntry,
  Sources,
  ThreadLog,
  type UseGloveReturn,
  Welcome,
} from "glove-wasm/react";
import { type ComponentProps, useId } from "react";
import { ToolCard } from "./tool-card";

type Said = Extract<ShownEntry, { kind: "user" | "agent_text" }>;

const quiet = "rounded-md px-2 py-1 text-xs text-muted-foreground hover:bg-muted hover:text-foreground focus-visible:outline-2";
const Quiet = (props: ComponentProps<"button">) => <button type="button" className={quiet} {...props} />;

const Thoughts = ({ text }: { text?: string | undefined }) =>
  text ? (
    <details className="mb-2 text-sm text-muted-foreground">
      <summary className="cursor-pointer">Thoughts</summary>
      <p className="mt-2 border-s-2 border-border ps-3 whitespace-pre-wrap">{text}</p>
    </details>
  ) : null;

function Message({ entry, isLast }: { entry: Said; isLast: boolean }) {
  const id = useId();
  const isMine = entry.kind === "user";
  return (
    <EditableMessage entry={entry}>
      {(state) => (
        <article aria-labelledby={id} className={isMine ? "group flex flex-col items-end" : "group"}>
          <span id={id} className="sr-only">
            {isMine ? "You" : "Assistant"}
          </span>
          {!isMine && <Thoughts text={entry.reasoning} />}
          {state === "idle" ? (
            <div className={isMine ? "max-w-[85%] rounded-2xl bg-muted px-4 py-2.5 leading-relaxed" : "leading-relaxed"}>
              <MessageText entry={entry} />
            </div>
          ) : (
            <MessageEditor className="flex w-full flex-col gap-2 rounded-2xl border border-input p-3" />
          )}
          {!isMine && <Sources entry={entry} />}
          <div className="mt-1 flex items-center gap-1">
            <CopyButton text={entry.text} asChild>
              <Quiet>Copy</Quiet>
            </CopyButton>
            {isMine && (
              <EditButton asChild>
                <Quiet>Edit</Quiet>
              </EditButton>
            )}
            {!isMine && isLast && (
              <RegenerateButton asChild>
                <Quiet>Try again</Quiet>
              </RegenerateButton>
            )}
            <BranchPicker entry={entry}>
              {({ index, count, previous, next }) => (
                <span className="flex items-center gap-1 text-xs text-muted-foreground">
                  <Quiet aria-label="Previous version" disabled={!previous} onClick={previous}>
                    ‹
                  </Quiet>
                  {index + 1}/{count}
                  <Quiet aria-label="Next version" disabled={!next} onClick={next}>
                    ›
                  </Quiet>
                </span>
              )}
            </BranchPicker>
          </div>
        </article>
      )}
    </EditableMessage>
  );
}

export function MessageList({ glove, suggestions = [] }: { glove: UseGloveReturn; suggestions?: readonly string[] }) {
  const { timeline, slots, streamingText, streamingReasoning, streamingCalls, busy } = glove;
  const asks = slots.some(({ waits, status }) => waits && status === "pending");
  return (
    <ThreadLog className="min-h-0 flex-1 overflow-y-auto" logClassName="mx-auto flex w-full max-w-3xl flex-col gap-6 p-4">
      <div className="mt-16 flex flex-col gap-3 empty:hidden">
        <Welcome welcome={<h2 className="text-3xl font-semibold">What can I do for you?</h2>} suggestions={suggestions} />
      </div>
      {timeline.map((entry, at) => {
        if (entry.kind === "compaction") return <hr key={entry.id} className="border-border" />;
        if (entry.kind === "tool") return <ToolCard key={entry.id} glove={glove} entry={entry} />;
        return <Message key={entry.id} entry={entry} isLast={at === timeline.length - 1} />;
      })}
      <Thoughts text={streamingReasoning} />
      {streamingText && <MessageText entry={{ kind: "agent_text", text: streamingText }} streaming />}
      {streamingCalls.map(({ id, name }) => (
        <p key={id} className="text-sm text-muted-foreground">
          {name} …
        </p>
      ))}
      {busy && !asks && !streamingText && (
        <p role="status" className="animate-pulse text-sm text-muted-foreground">
          Working …
        </p>
      )}
      <Queue>
        {({ id, text, files, remove }) => (
          <p key={id} className="flex items-center gap-2 self-end rounded-2xl border border-dashed border-border px-4 py-2">
            {text || `${files} files`} <Quiet onClick={remove}>Remove</Quiet>
          </p>
        )}
      </Queue>
      <ErrorNotice>
        {({ text, action }) => (
          <div role="alert" className="flex items-center justify-between gap-3 rounded-xl border border-destructive p-3 text-sm">
            {text} {action && <Quiet onClick={() => void action.run()}>{action.label}</Quiet>}
          </div>
        )}
      </ErrorNotice>
    </ThreadLog>
  );
}
