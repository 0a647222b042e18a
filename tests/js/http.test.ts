// How the page reads for the core: what the core does with a piece may fail too.
import { expect, test, vi } from "vitest";
import { hostFetch } from "../../pkg/src/models/http.js";

test("a core that fails in the middle of a stream ends the reading, with its error and without another", async () => {
  const unheard = vi.fn();
  process.on("unhandledRejection", unheard);
  const cancel = vi.fn();
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(new Uint8Array(1));
  };
  const custom = async () => new Response(new ReadableStream({ start, cancel }));
  const { read } = await hostFetch(custom, "http://x/", "", "", new AbortController().signal);
  const push = vi.fn(() => {
    throw new Error("unreachable");
  });
  const reading = read(push);
  const ended = expect(reading).rejects.toThrow("unreachable");
  // The connection is still open, and nothing comes.
  await new Promise((later) => setTimeout(later, 50));
  await ended;
  expect([push.mock.calls.length, cancel.mock.calls.length, unheard.mock.calls.length]).toEqual([1, 1, 0]);
  process.off("unhandledRejection", unheard);
}, 2_000);
