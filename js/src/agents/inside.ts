// Sessions inside of others: how their ids are made, and what a call gets to run one.
import { GloveError } from "../error.js";
import type { SessionConfig } from "../session/session-config.js";

const mark = "::agent::";

/** The id of the session of a call. */
export const insideId = (session: string, callId: string): string => session + mark + callId;

/** It belongs to another session: it is not listed, and goes with that one. With an id, whether it belongs to that. */
export const isInside = (id: string, outer?: string): boolean =>
  outer === undefined ? id.includes(mark) : id.startsWith(outer + mark);

/** How many sessions it is inside of. */
export const depthOf = (id: string): number => id.split(mark).length - 1;

/** Opens the session of a call, and keeps it until it is released. */
export type OpenInside<S> = (id: string, config: Partial<SessionConfig>) => { readonly session: S; release(): void };

/** Why nothing is begun in the session of an agent that is not at work: the tools and the prompt that a page has are not the agent's. */
export const agentNotRunning = (): GloveError =>
  new GloveError("AGENT_NOT_RUNNING", "The agent of this session is not running here; resume the session that called it.");
