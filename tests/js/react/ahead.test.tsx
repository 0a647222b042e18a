// What a page loads while it has nothing else to do.
import { act } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { clientOf, ready, show } from "./page.js";

test("what draws questions is loaded when the page is idle, and no message waits for it", async () => {
  const waiting: (() => void)[] = [];
  vi.stubGlobal("requestIdleCallback", (call: () => void) => waiting.push(call));
  const { slotParts } = await import("../../../pkg/react/slots/slot-loader.js");
  const load = vi.spyOn(slotParts, "load");
  const page = show(clientOf(["Hello."]).client);
  await ready(page);
  await act(() => page.glove.sendMessage("Hi"));
  expect(load).not.toHaveBeenCalled();
  for (const call of waiting) call();
  expect(load).toHaveBeenCalled();
});
