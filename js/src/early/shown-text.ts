// The text of an answer while it streams in, as far as it is shown ahead of the core: the events of an endpoint, of which only pieces of
// text are looked at. The core reads them all.

/** Takes the bytes of a stream, and gives the text in them. */
export function textReader(): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder();
  let line = "";
  return (bytes) => {
    const lines = (line + decoder.decode(bytes, { stream: true })).split(/[\r\n]+/);
    line = lines.pop() ?? "";
    return lines.map(textOf).join("");
  };
}

function textOf(line: string): string {
  const [, data] = /^data:(.*)/.exec(line) ?? [];
  try {
    const event = JSON.parse(data ?? "{}");
    return event.type === "text_delta" && typeof event.text === "string" ? event.text : "";
  } catch {
    return "";
  }
}
