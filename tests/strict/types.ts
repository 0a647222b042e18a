// What is judged, and what is found wrong with it.

/** A request as it reached the other side. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Finding {
  /** The id of a rule in rules.json or models.json. */
  readonly rule: string;
  /** Where in the request: a JSON pointer into the body, or a header. */
  readonly at: string;
  readonly says: string;
  /** The vendor's status; 400 unless given. */
  readonly status?: number;
  readonly code?: string;
  readonly param?: string;
}

export type Api = "chat" | "responses" | "anthropic" | "gemini" | "endpoint";

/** One change of a schema: `add` sets what is there too. */
export type Patch = { readonly add: string; readonly value: unknown } | { readonly remove: string; readonly missing?: "ok" };

/** A row of hosts.json. */
export interface Host {
  readonly id: string;
  readonly name: string;
  readonly api: Api;
  readonly hostnames: readonly string[];
  readonly base: string;
  readonly schema: string;
  readonly patch: readonly (string | Patch)[];
  readonly auth: "bearer" | "bearer-or-api-key" | "x-api-key" | "x-api-key-or-bearer" | "x-goog-api-key" | "optional" | "none";
  /** Headers of its own that it takes, and that a page may send. */
  readonly headers?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly anyPath?: boolean;
  readonly error: string;
  /** Rules of rules.json that hold at some hosts only. */
  readonly rules: readonly string[];
  readonly source: string;
  readonly read: string;
  readonly sure: boolean;
}

/** A row of models.json. */
export interface ModelRow {
  readonly rule: string;
  readonly api: Api;
  readonly hosts?: readonly string[];
  readonly model?: string;
  /** Of the header `anthropic-version`. */
  readonly version?: string;
  readonly body: object;
  readonly param: string;
  readonly code?: string;
  readonly says: string;
  readonly source: string;
  readonly read: string;
  readonly sure: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: a body, whose form is what is judged.
export type Body = any;

/** What a rule in code gets. */
export interface Judged {
  readonly host: Host;
  readonly sent: Sent;
  readonly url: URL;
  readonly body: Body;
  readonly model: string;
  add(rule: string, at: string, says: string, more?: Partial<Finding>): void;
}
