// `<ThreadList>`: its parts in an application's own markup, its labels, and where it may stand.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import {
  GloveProvider,
  preloadThreadList,
  ThreadList,
  ThreadListItems,
  ThreadListNew,
  type ThreadListProps,
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

const row = (id: string) => screen.findByRole("button", { name: `Thread ${id}` });
const shown = async (ids: readonly string[], props: Partial<ThreadListProps> = {}) => {
  const client = await filled(ids);
  return render(
    <GloveProvider client={client}>
      <ThreadList {...props} />
    </GloveProvider>,
  );
};

test("threads deleted one after the other are brought back together", async () => {
  await shown(["a", "b", "c"]);
  fireEvent.click(await screen.findByRole("button", { name: "Delete: Thread a" }));
  await screen.findByText(/Deleted: Thread a/);
  fireEvent.click(screen.getByRole("button", { name: "Delete: Thread b" }));
  await screen.findByText("2 conversations deleted");
  fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  await row("a");
  await row("b");
  expect(screen.queryByText(/deleted/i)).toBeNull();
});

test("the focus goes from the only thread to Undo, and from there to what was brought back", async () => {
  await shown(["a"]);
  (await row("a")).focus();
  fireEvent.keyDown(await row("a"), { key: "Delete" });
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Undo"));
  fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  await row("a");
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Thread a"));
});

test("the focus of an only thread that is put away goes to the button for a new one", async () => {
  await shown(["a"]);
  (await screen.findByRole("button", { name: "Archive: Thread a" })).focus();
  fireEvent.click(screen.getByRole("button", { name: "Archive: Thread a" }));
  expect(document.activeElement?.textContent).toBe("New conversation");
});

test.each(["Enter", "Escape"])(
  "after a rename that ends with %s, the focus goes from the field to the row, with no old title between",
  async (key) => {
    const { container } = await shown(["a", "b"]);
    (await row("a")).focus();
    fireEvent.keyDown(await row("a"), { key: "F2" });
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Title" });
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: "Mine" } });
    const seen: string[] = [];
    new MutationObserver(() => seen.push(document.activeElement?.textContent ?? "")).observe(container, {
      subtree: true,
      childList: true,
    });
    fireEvent.keyDown(field, { key });
    expect([field.isConnected, field.readOnly]).toEqual([key === "Enter", true]);
    await waitFor(() => expect((document.activeElement as HTMLElement).dataset.gloveThread).toBe("a"));
    await act(() => new Promise((later) => setTimeout(later, 50)));
    expect(new Set(seen)).toEqual(new Set([key === "Enter" ? "Mine" : "Thread a"]));
  },
);

test("a title that cannot be stored is shown in no field any more", async () => {
  const client = await filled(["a"]);
  vi.spyOn(client.catalog, "rename").mockRejectedValue(new Error("The disk is full."));
  render(
    <GloveProvider client={client}>
      <ThreadList />
    </GloveProvider>,
  );
  fireEvent.keyDown(await row("a"), { key: "F2" });
  const field = screen.getByRole("textbox", { name: "Title" });
  fireEvent.change(field, { target: { value: "Mine" } });
  fireEvent.keyDown(field, { key: "Enter" });
  await screen.findByText(/The disk is full/);
  await row("a");
  expect(screen.queryByRole("textbox", { name: "Title" })).toBeNull();
});

test("one row is one stop of the Tab key, and arrow keys lead to its buttons and back", async () => {
  const { container } = await shown(["a", "b"]);
  await row("a");
  const stops = [...container.querySelectorAll<HTMLElement>("li button")].filter(({ tabIndex }) => tabIndex >= 0);
  expect(stops.map((stop) => stop.dataset.gloveThread)).toEqual(["b"]);
  stops[0]?.focus();
  const press = (key: string) => {
    fireEvent.keyDown(document.activeElement as HTMLElement, { key });
    return document.activeElement?.getAttribute("aria-label");
  };
  expect(press("ArrowRight")).toBe("Rename: Thread b");
  expect(press("ArrowRight")).toBe("Archive: Thread b");
  expect(press("ArrowRight")).toBe("Delete: Thread b");
  expect(press("ArrowRight")).toBe("Delete: Thread b");
  for (let back = 0; back < 3; back++) press("ArrowLeft");
  expect(document.activeElement).toBe(stops[0]);
});

test("the End key stops at the last thread that can be seen", async () => {
  await shown(["a", "b", "c"]);
  fireEvent.click(await screen.findByRole("button", { name: "Archive: Thread a" }));
  (await row("c")).focus();
  fireEvent.keyDown(await row("c"), { key: "End" });
  expect(document.activeElement?.textContent).toBe("Thread b");
});

test("the field that finds threads stays once it was there, and can be always or never there", async () => {
  const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const first = await shown(ids);
  await screen.findByRole("searchbox");
  fireEvent.click(screen.getByRole("button", { name: "Delete: Thread a" }));
  await screen.findByText(/Deleted: Thread a/);
  expect(screen.getByRole("searchbox")).toBeTruthy();
  first.unmount();
  const never = await shown(ids, { search: false });
  await row("h");
  expect(screen.queryByRole("searchbox")).toBeNull();
  never.unmount();
  await shown(["a"], { search: "always" });
  expect(screen.getByRole("searchbox")).toBeTruthy();
});

test("the focus goes from Undo to the button for a new one when the time for it is over", async () => {
  const client = await filled(["a"]);
  render(
    <GloveProvider client={client}>
      <ThreadList />
    </GloveProvider>,
  );
  (await row("a")).focus();
  fireEvent.keyDown(await row("a"), { key: "Delete" });
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Undo"));
  await act(() => client.deleteSession("a"));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Undo" })).toBeNull());
  expect(document.activeElement?.textContent).toBe("New conversation");
});
