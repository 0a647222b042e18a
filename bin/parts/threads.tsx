// The list of conversations: begin one, find one, go to one, rename it, delete it with a way back.
import { useGlove, useThreads } from "glove-wasm/react";
import { type FormEvent, useState } from "react";

const small = "rounded px-2 py-1 text-xs text-muted-foreground hover:bg-muted hover:text-foreground focus-visible:outline-2";
const field = "h-9 w-full rounded-md border border-input bg-background px-3 text-sm placeholder:text-muted-foreground";

/** Once, when the field comes. */
const focus = (input: HTMLInputElement | null) => input?.focus();

export function Threads() {
  const [search, setSearch] = useState("");
  const [editing, setEditing] = useState<string>();
  const { threads, deleted, ready, error, rename, remove, restore } = useThreads({ search });
  const { sessionId, switchConversation, newConversation } = useGlove();
  const save = (id: string) => (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const title = String(new FormData(event.currentTarget).get("title")).trim();
    if (title) void rename(id, title);
    setEditing(undefined);
  };
  return (
    <nav aria-label="Conversations" className="flex min-h-0 flex-col gap-2 overflow-y-auto border-border bg-card p-3">
      <button
        type="button"
        className="h-9 shrink-0 rounded-md bg-primary px-4 text-sm font-medium text-primary-foreground focus-visible:outline-2 focus-visible:outline-offset-2"
        onClick={() => void newConversation()}
      >
        New conversation
      </button>
      <input
        type="search"
        aria-label="Find a conversation"
        placeholder="Find"
        className={`${field} shrink-0`}
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {error && (
        <p role="alert" className="text-sm text-destructive">
          {error.message}
        </p>
      )}
      {ready && threads.length === 0 && (
        <p className="px-2 text-sm text-muted-foreground">{search ? "Nothing was found." : "Nothing yet."}</p>
      )}
      <ul className="flex flex-col gap-0.5">
        {threads.map(({ id, title, running, waiting }) => (
          <li key={id} className={`group flex items-center rounded-md ${id === sessionId ? "bg-muted" : "hover:bg-muted"}`}>
            {editing === id ? (
              <form className="flex-1 p-1" onSubmit={save(id)}>
                {/* Escape leaves the title as it was. */}
                <input
                  name="title"
                  aria-label="Title"
                  defaultValue={title}
                  className={field}
                  ref={focus}
                  onKeyDown={({ key }) => key === "Escape" && setEditing(undefined)}
                />
              </form>
            ) : (
              <>
                <button
                  type="button"
                  aria-current={id === sessionId}
                  className="min-w-0 flex-1 truncate px-3 py-2 text-start text-sm focus-visible:outline-2"
                  onClick={() => switchConversation(id)}
                >
                  {title}
                  {waiting && <span className="ms-2 text-xs text-amber-700 dark:text-amber-400">waits for you</span>}
                  {running && !waiting && <span className="ms-2 text-xs text-muted-foreground">works</span>}
                </button>
                <button type="button" aria-label={`Rename ${title}`} className={small} onClick={() => setEditing(id)}>
                  ✎
                </button>
                <button type="button" aria-label={`Delete ${title}`} className={small} onClick={() => void remove(id)}>
                  ✕
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
      {deleted.map(({ id, title }) => (
        <p
          key={id}
          role="status"
          className="flex items-center justify-between gap-2 rounded-md border border-border px-3 py-2 text-sm"
        >
          <span className="truncate">{title} was deleted.</span>
          <button type="button" className={small} onClick={() => void restore(id)}>
            Undo
          </button>
        </p>
      ))}
    </nav>
  );
}
