// Parts that a page can do without are there again with the network, and say nothing meanwhile.
import { afterEach, expect, test, vi } from "vitest";
import { Loader } from "../../../js/react/look/loader.js";

afterEach(() => vi.restoreAllMocks());

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
