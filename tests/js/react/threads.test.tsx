// `useThreads()`: what a component reads of the list, and how often it renders.
import { act, render, screen, waitFor } from "@testing-library/react";
import { GloveProvider, type UseThreadsReturn, useThreads } from "glove-wasm/react";
import { StrictMode } from "react";
import { expect, test, vi } from "vitest";
import { clientOf, moment } from "./page.js";

type Client = ReturnType<typeof clientOf>["client"];

/** A component that shows the titles, and what it was given last. */
function show(client: Client, first = "") {
  let latest: UseThreadsReturn | undefined;
  let renders = 0;
  const List = ({ search }: { search: string }) => {
    latest = useThreads({ search });
    renders++;
    return <p>{latest.ready ? latest.threads.map(({ title }) => title).join() || "none" : "reading"}</p>;
  };
  const tree = (search: string) => (
    <StrictMode>
      <GloveProvider client={client}>
        <List search={search} />
      </GloveProvider>
    </StrictMode>
  );
  const { rerender, unmount } = render(tree(first));
  return {
    get threads() {
      return latest as UseThreadsReturn;
    },
    get renders() {
      return renders;
    },
    search: (text: string) => rerender(tree(text)),
    unmount,
  };
}

test("a component shows the threads, and each change of them, without opening a session", async () => {
  const { client } = clientOf(["one", "two"]);
  const page = show(client);
  await screen.findByText("none");
  await act(() => client.session("a").sendMessage("Crème brûlée"));
  await screen.findByText("Crème brûlée");
  await act(() => client.session("b").sendMessage("Car repairs"));
  await screen.findByText("Car repairs,Crème brûlée");
  page.search("brulee CREME");
  await screen.findByText("Crème brûlée");
  page.search("");
  await act(() => page.threads.remove("a"));
  await screen.findByText("Car repairs");
  await act(() => page.threads.restore("a"));
  await screen.findByText("Car repairs,Crème brûlée");
});

test("actions are the same functions for ever, and a component that goes leaves nothing behind", async () => {
  const { client } = clientOf(["one"]);
  const page = show(client);
  await screen.findByText("none");
  const { rename, archive, unarchive, remove, restore, refresh } = page.threads;
  await act(() => client.session("a").sendMessage("One"));
  await screen.findByText("One");
  expect(page.threads).toMatchObject({ rename, archive, unarchive, remove, restore, refresh });
  const { renders } = page;
  page.unmount();
  await client.renameSession("a", "Two");
  await moment(60);
  expect(page.renders).toBe(renders);
  show(client);
  await screen.findByText("Two");
});

test("a message of fifty pieces changes the list a few times, not with each piece", async () => {
  const { client } = clientOf([{ deltas: Array.from({ length: 50 }, (_, at) => `${at} `), every: 2 }]);
  const page = show(client);
  await screen.findByText("none");
  const before = page.renders;
  await act(() => client.session("a").sendMessage("One"));
  await waitFor(() => expect(page.threads.threads[0]).toMatchObject({ running: false, messageCount: 2 }));
  // Twice each, in StrictMode.
  expect(page.renders - before).toBeLessThanOrEqual(8);
});

test("what cannot be done is an error of the list and of the promise, and nobody has to catch it", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const { client } = clientOf([]);
  const page = show(client);
  await screen.findByText("none");
  act(() => void page.threads.rename("gone", "x"));
  await waitFor(() => expect(page.threads.error).toMatchObject({ code: "SESSION_UNKNOWN" }));
  await moment();
  expect(unhandled).not.toHaveBeenCalled();
  process.off("unhandledRejection", unhandled);
});
