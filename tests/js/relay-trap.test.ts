// A core that ends while it is asked: nothing of the answer goes on.
import { expect, test, vi } from "vitest";
import { answer } from "../../pkg/src/relay/answer.js";
import type { Relay } from "../../pkg/src/wasm/providers.js";

test("a trap that comes at once is told, and leaves neither a timer nor a listener", async () => {
  const relay = {
    answer() {
      throw new WebAssembly.RuntimeError("unreachable");
    },
  } as unknown as Relay;
  const leaving = new AbortController();
  const [report, notice] = [vi.fn(), vi.fn()];
  const remove = vi.spyOn(leaving.signal, "removeEventListener");
  vi.useFakeTimers();
  const response = await answer({ relay, body: "", key: "", signal: leaving.signal, fetch, heartbeatMs: 10, report, notice });
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  await vi.waitFor(() => expect(remove).toHaveBeenCalledOnce());
  expect([response.status, report.mock.calls.length, remove.mock.calls.length]).toEqual([500, 1, 1]);
});
