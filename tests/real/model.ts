// A tiny random llama as a GGUF file, written here: real engines load it, and what it says is noise of letters.

/** How likely tokens are, as logits: letters mostly, calls and ends now and then, and never half a character. */
const likely = { letter: 0, other: -3, end: 0, call: 0, never: -40 };

const [width, layers, heads, inner] = [32, 2, 2, 64];

/** ChatML with Hermes' way of calling tools: engines know it by this template. */
const template = `{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}You may call these functions: <tools>{% for tool in tools %}
{{ tool | tojson }}{% endfor %}
</tools>
For each call, return its name and arguments as JSON:
<tool_call>{"name": <function-name>, "arguments": <args-json-object>}</tool_call><|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}{% for message in messages %}{% if message.role == 'tool' %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% elif message.role == 'assistant' %}<|im_start|>assistant
{% if message.content %}{{ message.content }}{% endif %}{% for call in message.tool_calls or [] %}<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>{% endfor %}<|im_end|>
{% elif message.role == 'user' %}<|im_start|>user
{{ message.content }}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

export interface TinyModel {
  /** How many tokens fit. */
  readonly context?: number;
}

/** The bytes of the file; the same for the same wishes. */
export function tinyModel({ context = 4096 }: TinyModel = {}): Uint8Array<ArrayBuffer> {
  const { words, kinds, biases } = vocabulary();
  const random = randomNumbers(11);
  const filled = (rows: number, columns: number, size: number) =>
    Float32Array.from({ length: rows * columns }, () => (random() * 2 - 1) * size);
  const ones = new Float32Array(width).fill(1);
  // The first column is the same for every token, so the first column of the output is a bias of each token.
  const embedding = filled(words.length, width, 0.5);
  const output = filled(words.length, width, 0.8);
  for (const [token, bias] of biases.entries()) {
    embedding[token * width] = 4;
    output[token * width] = bias / 5;
  }
  const tensors: Tensor[] = [
    ["token_embd.weight", [width, words.length], embedding],
    ["output_norm.weight", [width], ones],
    ["output.weight", [width, words.length], output],
  ];
  for (let layer = 0; layer < layers; layer++) {
    const named = (name: string) => `blk.${layer}.${name}.weight`;
    tensors.push([named("attn_norm"), [width], ones], [named("ffn_norm"), [width], ones]);
    for (const name of ["attn_q", "attn_k", "attn_v", "attn_output"]) {
      tensors.push([named(name), [width, width], filled(width, width, 0.05)]);
    }
    for (const name of ["ffn_gate", "ffn_up"]) tensors.push([named(name), [width, inner], filled(inner, width, 0.05)]);
    tensors.push([named("ffn_down"), [inner, width], filled(width, inner, 0.05)]);
  }
  return written(
    {
      "general.architecture": "llama",
      "general.name": "tiny random llama",
      "llama.context_length": u32(context),
      "llama.embedding_length": u32(width),
      "llama.block_count": u32(layers),
      "llama.feed_forward_length": u32(inner),
      "llama.attention.head_count": u32(heads),
      "llama.attention.head_count_kv": u32(heads),
      "llama.attention.layer_norm_rms_epsilon": f32(1e-5),
      "llama.rope.dimension_count": u32(width / heads),
      "llama.vocab_size": u32(words.length),
      "tokenizer.ggml.model": "llama",
      "tokenizer.ggml.tokens": words,
      "tokenizer.ggml.scores": new Float32Array(words.length),
      "tokenizer.ggml.token_type": Int32Array.from(kinds),
      "tokenizer.ggml.unknown_token_id": u32(0),
      "tokenizer.ggml.bos_token_id": u32(words.indexOf("<|im_start|>")),
      "tokenizer.ggml.eos_token_id": u32(words.indexOf("<|im_end|>")),
      "tokenizer.ggml.add_bos_token": false,
      "tokenizer.ggml.add_space_prefix": false,
      "tokenizer.chat_template": template,
    },
    tensors,
  );
}

/** Kinds of tokens as the format numbers them. */
const kind = { normal: 1, unknown: 2, control: 3, userDefined: 4, byte: 6 };

function vocabulary() {
  const words: string[] = [];
  const kinds: number[] = [];
  const biases: number[] = [];
  const add = (word: string, of: number, bias: number) => {
    words.push(word);
    kinds.push(of);
    biases.push(bias);
  };
  add("<unk>", kind.unknown, likely.never);
  add("<|im_start|>", kind.control, likely.never);
  add("<|im_end|>", kind.control, likely.end);
  add("<tool_call>", kind.userDefined, likely.call);
  add("</tool_call>", kind.userDefined, likely.never);
  for (let byte = 0; byte < 256; byte++) {
    add(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`, kind.byte, likely.never);
  }
  // A space is this sign.
  add("▁", kind.normal, likely.letter);
  for (let code = 33; code < 127; code++) {
    const sign = String.fromCharCode(code);
    // Signs that end something in JSON are as likely as letters, so that strings and lists do end.
    add(sign, kind.normal, /[a-z"\]}]/.test(sign) ? likely.letter : likely.other);
  }
  return { words, kinds, biases };
}

/** Mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Tensor = [name: string, shape: number[], values: Float32Array];
type Value = string | boolean | { u32: number } | { f32: number } | string[] | Float32Array | Int32Array;
const u32 = (value: number): Value => ({ u32: value });
const f32 = (value: number): Value => ({ f32: value });

const alignment = 32;

/** GGUF, version 3: a head of named values, the tensors' names and places, their numbers. */
function written(head: Record<string, Value>, tensors: readonly Tensor[]): Uint8Array<ArrayBuffer> {
  const to = new Writer();
  to.bytes(new TextEncoder().encode("GGUF"));
  to.u32(3);
  to.u64(tensors.length);
  to.u64(Object.keys(head).length);
  for (const [key, value] of Object.entries(head)) {
    to.text(key);
    to.value(value);
  }
  let place = 0;
  for (const [name, shape, values] of tensors) {
    to.text(name);
    to.u32(shape.length);
    for (const size of shape) to.u64(size);
    to.u32(0);
    to.u64(place);
    place += Math.ceil(values.byteLength / alignment) * alignment;
  }
  for (const [, , values] of tensors) {
    to.align();
    to.bytes(new Uint8Array(values.buffer));
  }
  to.align();
  return to.whole();
}

class Writer {
  private parts: Uint8Array[] = [];
  private length = 0;

  bytes(part: Uint8Array): void {
    this.parts.push(part);
    this.length += part.length;
  }

  private number(size: number, set: (view: DataView) => void): void {
    const part = new Uint8Array(size);
    set(new DataView(part.buffer));
    this.bytes(part);
  }

  u32(value: number): void {
    this.number(4, (view) => view.setUint32(0, value, true));
  }

  u64(value: number): void {
    this.number(8, (view) => view.setBigUint64(0, BigInt(value), true));
  }

  text(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.u64(bytes.length);
    this.bytes(bytes);
  }

  /** A value behind the number of its type. */
  value(value: Value): void {
    if (typeof value === "string") {
      this.u32(8);
      this.text(value);
    } else if (typeof value === "boolean") {
      this.u32(7);
      this.bytes(Uint8Array.of(value ? 1 : 0));
    } else if (Array.isArray(value)) {
      this.list(8, value.length);
      for (const entry of value) this.text(entry);
    } else if (value instanceof Float32Array || value instanceof Int32Array) {
      this.list(value instanceof Float32Array ? 6 : 5, value.length);
      this.bytes(new Uint8Array(value.buffer));
    } else if ("u32" in value) {
      this.u32(4);
      this.u32(value.u32);
    } else {
      this.u32(6);
      this.number(4, (view) => view.setFloat32(0, value.f32, true));
    }
  }

  private list(type: number, length: number): void {
    this.u32(9);
    this.u32(type);
    this.u64(length);
  }

  align(): void {
    this.bytes(new Uint8Array((alignment - (this.length % alignment)) % alignment));
  }

  whole(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
