// `document.modelContext`, as browsers have it and the W3C's draft describes it. It is not everywhere.

/** A tool that a script of the page has registered. */
export interface RegisteredTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Older browsers give it as text. */
  readonly inputSchema?: object | string | null;
  /** Of which frame; of this one where it is missing. */
  readonly window?: unknown;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly consequentialHint?: boolean } | null;
}

/** A tool as it is registered. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: object;
  execute(input: unknown, about?: { readonly signal?: AbortSignal }): Promise<unknown>;
}

export interface ModelContext extends Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">> {
  registerTool(tool: OfferedTool, options: { readonly signal: AbortSignal }): Promise<unknown> | undefined;
  getTools?(): Promise<readonly RegisteredTool[]>;
  executeTool?(tool: RegisteredTool, input: object, options: { readonly signal: AbortSignal }): Promise<unknown>;
}

/** Nothing in a browser without it, in an address without TLS, and outside of pages. */
export function modelContext(): ModelContext | undefined {
  return (globalThis.document as { readonly modelContext?: ModelContext } | undefined)?.modelContext;
}
