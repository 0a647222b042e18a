// `<ThreadList>`: its parts in an application's own markup, its labels, and where it may stand.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import {
  GloveProvider,
  preloadThreadList,
  ThreadList,
  ThreadListItems,
  ThreadListNew,
  ThreadListSearch,
  ThreadListTrigger,
  ThreadListUndo,
  useGlove,
} from "glove-wasm/react";
import { beforeAll, expect, test, vi } from "vitest";
import { clientOf } from "./page.js";

beforeAll(preloadThreadList);

const Shown = () => <output>{useGlove().sessionId}</output>;

async function filled(ids: readonly string[]) {
  const { client } = clientOf(ids.map(() => "fine"));
  for (const id of ids) await client.session(id).sendMessage(`Thread ${id}`);
  return client;
}

test("a thread that is chosen is shown, a new one begins, and one that is deleted gives way and comes back", async () => {
  const client = await filled(["a", "b"]);
  render(
    <GloveProvider client={client}>
      <ThreadList />
      <Shown />
    </GloveProvider>,
  );
  fireEvent.click(await screen.findByRole("button", { name: "Thread a" }));
  await waitFor(() => expect(screen.getByText("a").tagName).toBe("OUTPUT"));
  expect(screen.getByRole("button", { name: "Thread a" }).getAttribute("aria-current")).toBe("true");
  fireEvent.click(screen.getByRole("button", { name: "Delete: Thread a" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Thread a" })).toBeNull());
  expect(screen.queryByText("a")).toBeNull();
  expect(screen.getByText(/Deleted: Thread a/).closest("[role=status]")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  await screen.findByRole("button", { name: "Thread a" });
  await screen.findByText("a");
  fireEvent.click(screen.getByRole("button", { name: "New conversation" }));
  await waitFor(() => expect(screen.queryByText("a")).toBeNull());
});

test("the list leads a hook with settings of its own, where that is what the page shows", async () => {
  const client = await filled(["a", "b"]);
  const Own = () => <output>{useGlove({ systemPrompt: "Be brief." }).sessionId}</output>;
  render(
    <GloveProvider client={client}>
      <ThreadList />
      <Own />
    </GloveProvider>,
  );
  fireEvent.click(await screen.findByRole("button", { name: "Thread a" }));
  await waitFor(() => expect(screen.getByText("a").tagName).toBe("OUTPUT"));
  expect(screen.getByRole("button", { name: "Thread a" }).getAttribute("aria-current")).toBe("true");
  fireEvent.click(screen.getByRole("button", { name: "New conversation" }));
  await waitFor(() => expect(screen.queryByText("a")).toBeNull());
});

test("an application that keeps the thread itself is told which was chosen, and nothing is opened for the list", async () => {
  const client = await filled(["a", "b"]);
  const opened = vi.spyOn(client, "session");
  const onSelect = vi.fn();
  render(
    <GloveProvider client={client}>
      <ThreadList current="b" onSelect={onSelect} />
    </GloveProvider>,
  );
  const b = await screen.findByRole("button", { name: "Thread b" });
  expect(b.getAttribute("aria-current")).toBe("true");
  fireEvent.click(screen.getByRole("button", { name: "Thread a" }));
  expect(onSelect).toHaveBeenLastCalledWith("a");
  fireEvent.click(screen.getByRole("button", { name: "New conversation" }));
  await waitFor(() => expect(onSelect).toHaveBeenLastCalledWith(expect.stringMatching(/^glove_/)));
  expect(opened).not.toHaveBeenCalled();
});

test("parts in own markup say how they are, take their place in it, and have no look", async () => {
  const client = await filled(["a", "b"]);
  const { container } = render(
    <GloveProvider client={client}>
      <ThreadList className="mine">
        <ThreadListNew asChild>
          <a href="#new">Begin</a>
        </ThreadListNew>
        <ThreadListSearch className="field" />
        <ThreadListItems>
          {(entry) => (
            <li key={entry.thread.id}>
              <ThreadListTrigger entry={entry} asChild>
                <a href={`#${entry.thread.id}`}>{entry.thread.title}!</a>
              </ThreadListTrigger>
              <button type="button" onClick={entry.remove}>
                x
              </button>
            </li>
          )}
        </ThreadListItems>
        <ThreadListUndo>
          {({ thread, restore }) => <button type="button" onClick={restore}>{`Back: ${thread.title}`}</button>}
        </ThreadListUndo>
      </ThreadList>
    </GloveProvider>,
  );
  const link = await screen.findByRole("link", { name: "Thread a!" });
  expect(link.dataset).toMatchObject({ gloveThread: "a", state: "idle" });
  expect(container.querySelector("[data-glove-look], style")).toBeNull();
  fireEvent.change(container.querySelector(".field") as HTMLElement, { target: { value: "b" } });
  await waitFor(() => expect(screen.queryByRole("link", { name: "Thread a!" })).toBeNull());
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "x" })));
  fireEvent.click(await screen.findByRole("button", { name: "Back: Thread b" }));
  await screen.findByRole("link", { name: "Thread b!" });
});

test("its words can be in another language, and a list that cannot be read says why", async () => {
  const { client } = clientOf([], { catalog: undefined, createStore: () => ({}) as never });
  render(
    <GloveProvider client={client}>
      <ThreadList labels={{ "New conversation": "Neues Gespräch", Conversations: "Gespräche" }} />
    </GloveProvider>,
  );
  expect(screen.getByRole("navigation", { name: "Gespräche" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Neues Gespräch" })).toBeTruthy();
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("catalog"));
});
