// What the parts of apps know of each other: a server what draws its apps, and what draws them their servers.

import type { ModelAdapter } from "../../src/ports/model.js";
import type { PluginRound } from "../../src/ports/plugin.js";
import type { McpToolInfo } from "../types.js";
import type { AppText, KeptApps } from "./kept-apps.js";

/** A server, as its apps need it. */
export interface AppServer {
  /** A person is asked before an app is drawn. */
  readonly asksFirst: boolean;
  keptApps(): Promise<KeptApps>;
  /** The app at this address, as the server has it now; with `known`, also as it was read for a call a moment ago. */
  readApp(uri: string, known?: boolean): Promise<AppText>;
  /** The tools that its apps may call, each with the name that its calls have. */
  appTools(): Promise<readonly McpToolInfo[]>;
  /** A resource, as the server sends it. */
  readForApp(uri: string, signal: AbortSignal): Promise<readonly object[]>;
}

/** What draws apps, as far as a server knows it: it needs no React. */
export interface McpAppsHost {
  /** Letters of an app, at most. */
  readonly maxLetters: number;
  /** @internal A server of this page. */
  add(name: string, server: (user: string | undefined) => Promise<AppServer>): void;
  /** @internal The call of an app of this server that the round is for, and what answers it. */
  callIn(round: AppRound, server: string): AppCall | undefined;
  /** @internal What apps of a server have told for the model of a session, by the id of the call that they show. */
  told(server: string, sessionId: string): ReadonlyMap<string, string> | undefined;
  /** @internal The tools of a server, by the model's names, whose apps may hear what the model of a session writes. */
  write(sessionId: string, server: string, apps: ReadonlyMap<string, WrittenApp>): void;
}

/** What an app's card is drawn from. It is in the record. */
export interface AppSlot {
  readonly server: string;
  readonly tool: string;
  readonly uri: string;
  readonly call: string;
  readonly user?: string | undefined;
}

/** @internal The app of a call whose arguments are written, without the call. */
export type WrittenApp = Omit<AppSlot, "call">;

/** @internal */
export type AppRound = Pick<PluginRound, "promptId" | "input">;

/** @internal */
export interface AppCall {
  readonly name: string;
  readonly caller: ModelAdapter;
}

/** What draws apps, as the card of one knows it. */
export interface AppsOfPage {
  readonly maxCalls: number;
  readonly page: URL | undefined;
  server(name: string, user: string | undefined): Promise<AppServer> | undefined;
  tell(server: string, sessionId: string, call: string, text: string): void;
}
