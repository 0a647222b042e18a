// What of a long conversation is drawn before it is known what is seen, and where nothing is laid out.
import { render } from "@testing-library/react";
import { Render } from "glove-wasm/react";
import { afterEach, expect, test, vi } from "vitest";
import { agent, handle, user } from "./handle.js";

const view = (count: number) => {
  const timeline = Array.from({ length: count }, (_, at) => (at % 2 ? agent(`e${at}`) : user(`e${at}`)));
  return <Render glove={handle({ timeline })} />;
};
const drawn = (container: HTMLElement) =>
  [...container.querySelectorAll("[data-glove-rows]")].map((rows) => Number(rows.getAttribute("data-glove-rows")));

class Observer {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
const page = document.documentElement;
afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(page, "clientWidth");
});

test("what stands there at first stays until it is known what is seen, whatever comes", () => {
  vi.stubGlobal("ResizeObserver", Observer);
  Object.defineProperty(page, "clientWidth", { value: 800, configurable: true });
  const { container, rerender } = render(view(60));
  expect(drawn(container)).toEqual([20, 30, 40, 50]);
  rerender(view(85));
  expect(drawn(container)).toEqual([20, 30, 40, 50, 60, 70, 80]);
  // After an undo there are never fewer than at first.
  rerender(view(30));
  expect(drawn(container)).toEqual([0, 10, 20]);
});

test("all of a long conversation is drawn where nothing is laid out, also in a test that has its own observer of sizes", () => {
  for (const observer of [undefined, Observer]) {
    vi.stubGlobal("ResizeObserver", observer);
    const { container, unmount } = render(view(300));
    expect(drawn(container)).toHaveLength(30);
    unmount();
  }
});
