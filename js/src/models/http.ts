// HTTP for the core: its requests go through fetch, or through one that the application gives.
import type { HostResponse } from "../wasm/seam.js";

/** `fetch`, or what stands in for it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** `headers` is JSON: `[[name, value], …]`. */
export async function hostFetch(
  custom: Fetch | undefined,
  url: string,
  headers: string,
  body: string,
  signal: AbortSignal,
): Promise<HostResponse> {
  const init = { method: "POST", headers: JSON.parse(headers || "[]") as [string, string][], body, signal };
  // Read when it is called, so that a fetch which was put in its place later is the one that is used.
  const response = await (custom ?? globalThis.fetch)(url, init);
  const reader = response.body?.getReader();
  // Also for a fetch that does not heed its signal.
  signal.addEventListener("abort", () => void reader?.cancel().catch(() => {}), { once: true });
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    async read(push) {
      for (;;) {
        const chunk = await reader?.read();
        // After the signal the core has let go of `push`.
        if (!chunk?.value || signal.aborted) return;
        push(chunk.value);
      }
    },
  };
}
