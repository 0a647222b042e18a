// What the decoders alone cost: bytes of a provider's stream in, its text out, against a plain push parser with JSON.parse.

/** What `decoders` of scripts/build.mjs makes. */
export interface Decoders {
  readonly CoreDecoder: new (format: string) => { push(chunk: Uint8Array): string; finish(): string | undefined };
}

export interface DecoderCost {
  readonly format: string;
  /** Milliseconds for the stream: the median of the rounds. */
  readonly ours: number;
  readonly plain: number;
}

/** Runs in Node and, as its own text, in a page: it may use nothing from outside. */
export function decoderCosts({ CoreDecoder }: Decoders, chunkSize: number, rounds: number): DecoderCost[] {
  const events = 50_000;
  const words = [" the", " answer", " is", " not", ",", " as", " far", " as", " é✓", "\n\n"].map((word) => JSON.stringify(word));
  // What the parsers read of an event: as much of each as they have to know.
  // biome-ignore lint/suspicious/noExplicitAny: what JSON.parse gives.
  type Event = any;
  interface Spoken {
    event(word: string, at: number): string;
    readonly end: string;
    text(event: Event): string | undefined;
  }
  const formats: Record<string, Spoken> = {
    anthropic: {
      event: (word, at) => {
        const delta = `{"type":"text_delta","text":${word}}${" ".repeat(at % 12)}`;
        return `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":${delta}}\n\n`;
      },
      end: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
      text: ({ delta }) => delta?.text,
    },
    openai_chat: {
      event: (word) => {
        const choice = `{"index":0,"delta":{"content":${word}},"logprobs":null,"finish_reason":null}`;
        const head = '"id":"chatcmpl-0123456789","object":"chat.completion.chunk","created":1721075653,"model":"some-model"';
        return `data: {${head},"choices":[${choice}]}\n\n`;
      },
      end: 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      text: ({ choices }) => choices[0].delta.content,
    },
    openai_responses: {
      event: (word, at) => {
        const place = `"sequence_number":${at},"item_id":"msg_0123456789abcdef","output_index":0,"content_index":0`;
        const rest = `"logprobs":[],"obfuscation":"${"k3Qz8vT0Lw2Bn6Yd".slice(at % 16)}"`;
        const kind = "response.output_text.delta";
        return `event: ${kind}\ndata: {"type":"${kind}",${place},"delta":${word},${rest}}\n\n`;
      },
      end: 'data: {"type":"response.completed","response":{"status":"completed","output":[]}}\n\n',
      text: ({ delta }) => delta,
    },
    gemini: {
      event: (word, at) => {
        const candidate = `{"content": {"parts": [{"text": ${word}}],"role": "model"},"index": 0}`;
        const usage = `{"promptTokenCount": 7,"candidatesTokenCount": ${at},"totalTokenCount": ${at + 7}}`;
        return `data: {"candidates": [${candidate}],"usageMetadata": ${usage},"modelVersion": "some-model"}\r\n\r\n`;
      },
      end: 'data: {"candidates": [{"content": {"parts": []},"finishReason": "STOP","index": 0}]}\r\n\r\n',
      text: ({ candidates }) => candidates[0].content.parts[0]?.text,
    },
    endpoint: {
      event: (word) => `data: {"type":"text_delta","text":${word}}\n\n`,
      end: 'data: {"type":"done","message":{"sender":"agent","text":""},"tokens_in":1,"tokens_out":1}\n\n',
      text: ({ type, text }) => (type === "text_delta" ? text : undefined),
    },
  };

  /** A push parser as one writes it: lines, fields, JSON.parse. */
  const plainly = (chunks: Uint8Array[], text: Spoken["text"]) => {
    const decoder = new TextDecoder();
    let [rest, data, shown] = ["", "", ""];
    for (const chunk of chunks) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const given of lines) {
        const line = given.endsWith("\r") ? given.slice(0, -1) : given;
        if (line.startsWith("data: ")) data += line.slice(6);
        else if (line === "" && data) {
          if (data !== "[DONE]") shown += text(JSON.parse(data)) ?? "";
          data = "";
        }
      }
    }
    return shown;
  };
  const ourselves = (chunks: Uint8Array[], format: string) => {
    const decoder = new CoreDecoder(format);
    let shown = "";
    for (const chunk of chunks) shown += decoder.push(chunk);
    if (decoder.finish() === undefined) throw new Error(`${format} was cut`);
    return shown;
  };

  const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
  return Object.entries(formats).map(([format, { event, end, text }]) => {
    const all = Array.from({ length: events }, (_, at) => event(words[at % words.length] ?? "", at));
    const bytes = new TextEncoder().encode(all.join("") + end);
    const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, at) =>
      bytes.slice(at * chunkSize, (at + 1) * chunkSize),
    );
    const times: { ours: number[]; plain: number[] } = { ours: [], plain: [] };
    // One round more than is counted, and by turns, so that whatever else the machine does falls on both.
    for (let round = 0; round <= rounds; round++) {
      const began = performance.now();
      const expected = plainly(chunks, text);
      const between = performance.now();
      const came = ourselves(chunks, format);
      const ended = performance.now();
      if (came !== expected) throw new Error(`${format} lost text`);
      if (round === 0) continue;
      times.plain.push(between - began);
      times.ours.push(ended - between);
    }
    return { format, ours: median(times.ours), plain: median(times.plain) };
  });
}
