// An app in its frame: a page without an origin that holds the app, and the messages between the two and the chat, bounded.

import type { CallToolResult, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { AppBridge, McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import { reasonOf } from "../../src/values/error.js";
import { clientInfo } from "../connection/client-info.js";
import type { AppText } from "./kept-apps.js";
import { loadBridge } from "./load-bridge.js";
import { appPageText, proxyReady, resourceReady } from "./page-text.js";
import { policyOf, underPolicy } from "./policy.js";

/** What comes of its call, as far as it is known. */
export interface Shown {
  readonly input?: Record<string, unknown>;
  /** What of it the model has written. */
  readonly partial?: Record<string, unknown>;
  readonly result?: CallToolResult | undefined;
  /** It was stopped. */
  readonly cancelled?: boolean;
}

/** What an app asks of the chat. Whatever it asks, a person or a rule decides. */
export interface AppPort {
  /** The call that it shows is not made yet: it hears, and what it asks for waits. */
  readonly isEarly: boolean;
  readonly shown: () => Shown | undefined;
  readonly context: () => McpUiHostContext;
  call(tool: string, input: unknown, signal: AbortSignal): Promise<CallToolResult>;
  read(uri: string, signal: AbortSignal): Promise<readonly object[]>;
  /** Whether a person lets it. */
  send(text: string): Promise<boolean>;
  open(url: string): Promise<boolean>;
  tell(text: string): void;
  sized(height: number): void;
  /** The way it is shown from now on. */
  display(mode: string): "inline" | "fullscreen";
  /** It is not drawn any more, and why. */
  ended(reason: string | undefined): void;
}

/** Messages at once, and each second. An app that moves sends its size sixty times. */
const most = { atOnce: 600, eachSecond: 120, letters: 2_000_000, open: 32 };

/** So long its page has to be loaded. */
const beginMs = 20_000;

/** So long an app has to end by itself. */
const teardownMs = 1_000;

/** So long what the model writes is gathered: each time all of it is sent. */
const writtenMs = 100;

export class AppFrame {
  readonly element: HTMLIFrameElement = document.createElement("iframe");
  readonly #app: AppText;
  #port: AppPort;
  #bridge: AppBridge | undefined;
  #incoming: ((message: JSONRPCMessage) => void) | undefined;
  /** It has said that it is ready. */
  #isReady = false;
  #isOver = false;
  #written: ReturnType<typeof setTimeout> | undefined;
  #told: { partial?: unknown; input?: unknown; result?: unknown; cancelled?: boolean } = {};
  #tokens = most.atOnce;
  #at = performance.now();
  /** What it waits for. */
  #open = 0;
  #calledNow = () => {};
  readonly #called = new Promise<void>((resolve) => {
    this.#calledNow = resolve;
  });
  /** Until its page has said that it is there. */
  readonly #begins: ReturnType<typeof setTimeout>;

  constructor(app: AppText, page: URL | undefined, title: string, port: AppPort) {
    this.#app = app;
    this.#port = port;
    this.follow(port);
    const { element } = this;
    element.sandbox.add("allow-scripts", "allow-forms");
    element.referrerPolicy = "no-referrer";
    element.title = title;
    element.allow = "";
    element.style.cssText = "display:block;width:100%;height:100%;border:0;background:transparent";
    if (page) element.src = page.href;
    else element.srcdoc = appPageText;
    addEventListener("message", this.#heard);
    this.#begins = setTimeout(() => this.stop("Its page does not answer."), beginMs);
  }

  /** What draws it from now on. */
  follow(port: AppPort): void {
    this.#port = port;
    if (!port.isEarly) this.#calledNow();
  }

  // ---- messages ------------------------------------------------------------------------------------------------------

  readonly #heard = ({ source, data }: MessageEvent): void => {
    // Other frames, also those of this app, are not its page.
    if (this.#isOver || source === null || source !== this.element.contentWindow) return;
    if (!this.#isWithin(data)) {
      this.stop("It sends too much.");
      return;
    }
    const { jsonrpc, method } = Object(data) as { readonly jsonrpc?: unknown; readonly method?: unknown };
    if (jsonrpc !== "2.0") return;
    if (method === proxyReady) void this.#begin();
    else this.#incoming?.(data as JSONRPCMessage);
  };

  #isWithin(data: unknown): boolean {
    const now = performance.now();
    this.#tokens = Math.min(most.atOnce, this.#tokens + ((now - this.#at) * most.eachSecond) / 1_000) - 1;
    this.#at = now;
    return this.#tokens >= 0 && lettersOf(data) <= most.letters;
  }

  #post(message: unknown): void {
    // It has no origin that could be named.
    this.element.contentWindow?.postMessage(message, "*");
  }

  /** Also when the page of the frame is loaded again, as where its element was moved. */
  async #begin(): Promise<void> {
    clearTimeout(this.#begins);
    try {
      await this.#bridge?.close();
      this.#isReady = false;
      const { AppBridge } = await loadBridge();
      if (this.#isOver) return;
      const bridge = new AppBridge(null, clientInfo, capabilities, { hostContext: this.#port.context() });
      this.#bridge = bridge;
      this.#answer(bridge);
      await bridge.connect(this.#transport());
      const policy = policyOf(this.#app.reach);
      const scheme = String(this.#port.context().theme);
      this.#post({
        jsonrpc: "2.0",
        method: resourceReady,
        params: { html: underPolicy(this.#app.html, policy), policy, scheme, sandbox: "allow-scripts allow-forms" },
      });
    } catch (error) {
      this.stop(reasonOf(error));
    }
  }

  #transport(): Transport {
    const transport: Transport = {
      start: async () => {
        this.#incoming = (message) => transport.onmessage?.(message);
      },
      send: async (message) => this.#post(message),
      close: async () => {
        this.#incoming = undefined;
        transport.onclose?.();
      },
    };
    return transport;
  }

  // ---- what it asks ---------------------------------------------------------------------------------------------------

  #answer(bridge: AppBridge): void {
    bridge.oncalltool = ({ name, arguments: input = {} }, { mcpReq }) =>
      this.#whenCalled((port) => port.call(name, input, mcpReq.signal), mcpReq.signal);
    bridge.onreadresource = ({ uri }, { mcpReq }) =>
      this.#bounded(async () => ({ contents: [...(await this.#port.read(uri, mcpReq.signal))] as never }));
    bridge.onmessage = ({ content }, { mcpReq }) =>
      this.#whenCalled(async (port) => {
        const text = textOf(content);
        return text && (await port.send(text)) ? {} : { isError: true };
      }, mcpReq.signal);
    bridge.onopenlink = ({ url }, { mcpReq }) =>
      this.#whenCalled(async (port) => ((await port.open(url)) ? {} : { isError: true }), mcpReq.signal);
    bridge.onupdatemodelcontext = ({ content = [], structuredContent }, { mcpReq }) =>
      this.#whenCalled(async (port) => {
        port.tell([textOf(content), structuredContent && JSON.stringify(structuredContent)].filter(Boolean).join("\n"));
        return {};
      }, mcpReq.signal);
    bridge.onsizechange = ({ height }) => {
      if (typeof height === "number" && Number.isFinite(height)) this.#port.sized(height);
    };
    bridge.onrequestdisplaymode = async ({ mode }) => ({ mode: this.#port.display(mode) });
    bridge.onrequestteardown = () => this.end();
    bridge.oninitialized = () => {
      this.#isReady = true;
      this.#told = {};
      this.update();
    };
  }

  /** A call that is never made lets its app do nothing. */
  #whenCalled<T>(work: (port: AppPort) => Promise<T>, stopped: AbortSignal): Promise<T> {
    return this.#bounded(async () => {
      await this.#called;
      stopped.throwIfAborted();
      return work(this.#port);
    });
  }

  async #bounded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#open >= most.open) throw new Error(`The app waits for ${most.open} answers already.`);
    this.#open++;
    try {
      return await work();
    } finally {
      this.#open--;
    }
  }

  // ---- what it is told ------------------------------------------------------------------------------------------------

  /** Whatever it does not know yet. */
  update(): void {
    const bridge = this.#bridge;
    if (!bridge || !this.#isReady || this.#isOver) return;
    bridge.setHostContext(this.#port.context());
    const { partial, input, result, cancelled } = this.#port.shown() ?? {};
    if (partial && partial !== this.#told.partial) this.#written ??= setTimeout(() => this.#tellWritten(), writtenMs);
    if (input && !("input" in this.#told)) tell(bridge.sendToolInput({ arguments: input }));
    if (result && !this.#told.result) tell(bridge.sendToolResult(result));
    if (cancelled && !this.#told.cancelled) tell(bridge.sendToolCancelled({ reason: "It was stopped." }));
    this.#told = { ...this.#told, ...(input && { input }), ...(result && { result }), ...(cancelled && { cancelled }) };
  }

  #tellWritten(): void {
    this.#written = undefined;
    const { partial } = this.#port.shown() ?? {};
    // All of it has come meanwhile, and nothing of it may come later.
    if (!partial || !this.#isReady || this.#isOver || "input" in this.#told) return;
    this.#told = { ...this.#told, partial };
    if (this.#bridge) tell(this.#bridge.sendToolInputPartial({ arguments: partial }));
  }

  // ---- its end ----------------------------------------------------------------------------------------------------------

  /** Asks it to end, and takes it away then. One that does not answer is taken away all the same. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    const asked = this.#isReady ? this.#bridge?.teardownResource({}, { timeout: teardownMs }) : undefined;
    await asked?.catch(() => {});
    this.stop(undefined);
  }

  /** Takes it away at once. */
  stop(reason: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#begins);
    clearTimeout(this.#written);
    removeEventListener("message", this.#heard);
    this.element.remove();
    this.#bridge?.close().catch(() => {});
    this.#port.ended(reason);
  }
}

const tell = (work: Promise<void>) => void work.catch(() => {});

const capabilities = {
  openLinks: {},
  serverTools: {},
  serverResources: {},
  message: { text: {} },
  updateModelContext: { text: {}, structuredContent: {} },
  sandbox: {},
};

function textOf(content: readonly { readonly type: string }[]): string {
  const texts = content.map((block) => (block.type === "text" ? String((block as { readonly text?: unknown }).text ?? "") : ""));
  return texts.filter(Boolean).join("\n");
}

/** What was sent may hold itself, or be no JSON. */
function lettersOf(data: unknown): number {
  try {
    return JSON.stringify(data)?.length ?? 0;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
