// Lets a client that can send no headers, such as the `EventSource` of browsers, follow one task: a token in the address of its events.

import { GloveError } from "../../src/values/error.js";

/** As long as a person has to decide. */
const usualMs = 24 * 60 * 60 * 1_000;
/** Whoever has a token can try secrets until one fits: a shorter one would be found. */
const shortestSecret = 32;

/** Who follows a task by a token, and until when. */
export interface Follower {
  readonly owner: string;
  readonly until: number;
}

export class StreamTokens {
  readonly #secret: string;
  readonly #lastsMs: number;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: string = crypto.randomUUID() + crypto.randomUUID(), lastsMs = usualMs) {
    if (secret.length < shortestSecret) {
      throw new GloveError(
        "CONFIG_INVALID",
        `\`streamSecret\` has ${secret.length} characters and needs at least ${shortestSecret}: whoever has a stream token can guess a short one, and follow every task. Generate a random one.`,
      );
    }
    this.#secret = secret;
    this.#lastsMs = lastsMs;
  }

  /** For the events of this task of the owner's, and nothing else. */
  async make(owner: string, id: string): Promise<string> {
    const until = Date.now() + this.#lastsMs;
    const seal = await crypto.subtle.sign("HMAC", await this.#signing(), bytesOf(owner, id, until));
    return `${encodeURIComponent(owner).replaceAll(".", "%2E")}.${until}.${hexOf(new Uint8Array(seal))}`;
  }

  /** Whose task is followed, where the token is one of it and holds. */
  async follower(token: string, id: string): Promise<Follower | undefined> {
    const [, name, digits, seal] = /^([^.]*)\.(\d{1,16})\.([0-9a-f]{64})$/.exec(token) ?? [];
    if (name === undefined || !seal || Number(digits) <= Date.now()) return undefined;
    const [owner, until] = [decoded(name), Number(digits)];
    if (owner === undefined) return undefined;
    const bytes = Uint8Array.from(seal.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
    const own = await crypto.subtle.verify("HMAC", await this.#signing(), bytes, bytesOf(owner, id, until));
    return own ? { owner, until } : undefined;
  }

  #signing(): Promise<CryptoKey> {
    const secret = new TextEncoder().encode(`task events ${this.#secret}`);
    this.#key ??= crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
    return this.#key;
  }
}

const bytesOf = (...parts: readonly unknown[]) => new TextEncoder().encode(JSON.stringify(parts));

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
