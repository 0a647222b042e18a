// What is loaded when it is first shown.
import { fireEvent, render, screen } from "@testing-library/react";
import { createElement } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { Loader } from "../../../js/react/look/loader.js";

afterEach(() => vi.restoreAllMocks());

test("what could not be loaded ahead is loaded again when it is drawn", async () => {
  let tries = 0;
  const loader = new Loader(async () => {
    if (++tries === 1) throw new Error("offline");
    return { Part: () => createElement("p", null, "here") };
  });
  await loader.load();
  const Part = loader.component("Part");
  render(createElement(Part));
  await screen.findByText("here");
  expect(tries).toBe(2);
});

test("each part that could not be loaded says so in its place, and is tried again by itself", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  let isDown = true;
  const loader = new Loader(async () => {
    if (isDown) throw new Error("offline");
    return { A: () => createElement("p", null, "one"), B: () => createElement("p", null, "two") };
  });
  render(createElement("div", null, createElement(loader.component("A")), createElement(loader.component("B"))));
  const [first, second] = await screen.findAllByRole("button", { name: "Try again" });
  isDown = false;
  fireEvent.click(first as HTMLElement);
  await screen.findByText("one");
  fireEvent.click(second as HTMLElement);
  await screen.findByText("two");
  expect(screen.queryByRole("alert")).toBeNull();
});

const failing = () =>
  vi
    .fn<() => Promise<{ there: boolean }>>()
    .mockRejectedValueOnce(new TypeError("Failed to fetch"))
    .mockResolvedValue({ there: true });

test("what a page can do without waits for the network, and comes when that is back", async () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const load = failing();
  const loading = new Loader(load, true).load();
  await new Promise((later) => setTimeout(later, 20));
  expect(load).toHaveBeenCalledTimes(1);
  window.dispatchEvent(new Event("online"));
  expect(await loading).toEqual({ there: true });
});

test("with a network, and where a page needs it, it is not waited for", async () => {
  expect(await new Loader(failing(), true).load()).toBeUndefined();
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  expect(await new Loader(failing()).load()).toBeUndefined();
});
