// What clients of the original do with a stream: cut at blank lines, and only what begins with `data: ` counts.

// biome-ignore lint/suspicious/noExplicitAny: plain events.
export async function strictEvents(response: Response): Promise<any[]> {
  const segments = (await response.text()).split("\n\n");
  return segments.filter((segment) => segment.startsWith("data: ")).map((segment) => JSON.parse(segment.slice("data: ".length)));
}
