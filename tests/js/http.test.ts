// How the page reads for the core: what the core does with a piece may fail too.
import { afterEach, expect, test, vi } from "vitest";
import { hostFetch } from "../../pkg/src/relay/http.js";

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

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A response whose chunks come when the test says so, and the texts that were pushed until now. */
async function read() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const { read } = await hostFetch(async () => new Response(readable), "http://x/", "", "", new AbortController().signal);
  const pushed: string[] = [];
  const reading = read((chunk) => void pushed.push(new TextDecoder().decode(chunk)));
  const after = async (milliseconds: number, ...texts: string[]) => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    for (const text of texts) await writer.write(new TextEncoder().encode(text));
    await vi.advanceTimersByTimeAsync(0);
    return pushed.splice(0);
  };
  return { writer, reading, after };
}

test("a chunk that comes alone is pushed at once, and those that come soon after it together", async () => {
  const { writer, reading, after } = await read();
  expect(await after(0, "a")).toEqual(["a"]);
  expect(await after(1, "b")).toEqual([]);
  expect(await after(2, "c")).toEqual([]);
  expect(await after(1)).toEqual(["bc"]);
  expect(await after(3, "d")).toEqual([]);
  expect(await after(1)).toEqual(["d"]);
  expect(await after(4, "e")).toEqual(["e"]);
  await writer.close();
  await reading;
});

test("neither the end of a stream, nor its failure, nor a lot of bytes waits", async () => {
  const ended = await read();
  expect([await ended.after(0, "a"), await ended.after(0, "b")]).toEqual([["a"], []]);
  await ended.writer.close();
  await ended.reading;
  expect(await ended.after(0)).toEqual(["b"]);

  const failed = await read();
  expect([await failed.after(0, "a"), await failed.after(0, "b")]).toEqual([["a"], []]);
  const reason = expect(failed.reading).rejects.toThrow("broken");
  await failed.writer.abort(new Error("broken"));
  await reason;
  expect(await failed.after(0)).toEqual(["b"]);

  const large = await read();
  const much = "x".repeat(65_536);
  expect([await large.after(0, "a"), await large.after(0, "b"), await large.after(0, much)]).toEqual([["a"], [], [`b${much}`]]);
});

test("a page that nobody sees does not wait for its slow timers", async () => {
  const { after } = await read();
  expect([await after(0, "a"), await after(0, "b"), await after(4)]).toEqual([["a"], [], ["b"]]);
  vi.stubGlobal("document", { visibilityState: "hidden" });
  expect([await after(0, "c"), await after(0, "d")]).toEqual([["c"], ["d"]]);
});
