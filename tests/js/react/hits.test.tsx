// The messages that a list of threads finds: in markup of an application, from a catalog of its own, and where nothing can be found.
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import {
  GloveClient,
  GloveProvider,
  MemoryStore,
  preloadThreadList,
  type SessionCatalog,
  ThreadList,
  ThreadListHits,
  ThreadListSearch,
} from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { beforeAll, expect, test, vi } from "vitest";
import { clientOf } from "./page.js";

beforeAll(preloadThreadList);

const field = () => screen.getByRole("searchbox", { name: "Search conversations" });
const type = (text: string) => {
  field().focus();
  fireEvent.change(field(), { target: { value: text } });
};

async function filled(said: readonly string[]) {
  const { client } = clientOf(said.map(() => "fine"));
  for (const [at, text] of said.entries()) await client.session(`t${at}`).sendMessage(text);
  return client;
}

test("hits are drawn in the markup of an application, which is told of the thread and the message", async () => {
  const client = await filled(["A red chair", "A green chair"]);
  const onSelect = vi.fn();
  render(
    <GloveProvider client={client}>
      <ThreadList current="t1" onSelect={onSelect}>
        <ThreadListSearch />
        <ThreadListHits>
          {({ id, message, title, excerpt, open }) => (
            <li key={message}>
              <button type="button" onClick={open}>{`${id} ${title}: ${excerpt}`}</button>
            </li>
          )}
        </ThreadListHits>
      </ThreadList>
    </GloveProvider>,
  );
  await waitFor(() => field());
  type("red");
  const hit = await screen.findByRole("button", { name: "t0 A red chair: A red chair" });
  fireEvent.keyDown(field(), { key: "ArrowDown" });
  expect(document.activeElement).toBe(hit);
  fireEvent.keyDown(hit, { key: "Escape" });
  expect(document.activeElement).toBe(field());
  fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
  expect(onSelect).not.toHaveBeenCalled();
  fireEvent.keyDown(field(), { key: "Enter" });
  expect(onSelect).toHaveBeenCalledWith("t0", client.session("t0").getSnapshot().timeline[0]?.id);
});

const own = (more: Partial<SessionCatalog> = {}) => {
  const catalog: SessionCatalog = {
    list: async () => [{ id: "a", title: "Chairs", createdAt: 1, updatedAt: 1, messageCount: 2, unfinished: false }],
    rename: async () => {},
    delete: async () => {},
    export: async () => "",
    import: async () => "",
    ...more,
  };
  const createStore = (id: string) => new MemoryStore(id);
  const client = new GloveClient({ createModel: () => createScriptedModel([]), systemPrompt: "", createStore, catalog });
  return render(
    <GloveProvider client={client}>
      <ThreadList search="always" />
    </GloveProvider>,
  );
};

test("a catalog of the application finds messages itself, and one that cannot finds titles alone", async () => {
  const search = vi.fn(async () => [
    { id: "a", title: "Chairs", message: "m1", excerpt: "An oak table", marks: [[3, 6]] as const },
  ]);
  const { container, unmount } = own({ search });
  await waitFor(() => field());
  type("oak");
  await waitFor(() => expect(container.querySelector("mark")?.textContent).toBe("oak"));
  expect(search.mock.calls).toEqual([["oak"]]);
  expect(screen.queryByText("Nothing found.")).toBeNull();
  unmount();

  own();
  await waitFor(() => field());
  type("oak");
  await screen.findByText("Nothing found.");
  type("chairs");
  await screen.findByRole("button", { name: "Chairs" });
  await waitFor(() => expect(screen.queryByText("Nothing found.")).toBeNull());
});
