// The part of a session's configuration that the core receives.

import { transportOf } from "../models/transport.js";
import type { SessionConfig } from "../ports/session-config.js";
import { after, type Maybe } from "../timing/sync-or-promise.js";
import type { Toolbox } from "../tools/toolbox.js";
import { withoutInfinity } from "../values/validate-options.js";
import type { SessionOptions } from "../wire/core-types.js";

export type CoreSettings = Pick<
  SessionOptions,
  "systemPrompt" | "tools" | "compaction" | "limits" | "budgets" | "prices" | "model"
>;

/** At once, unless a schema's converter has to be loaded. */
export function coreSettings(config: SessionConfig, tools: Toolbox): Maybe<CoreSettings> {
  const { systemPrompt, model, compaction = {}, budgets, limits, prices } = config;
  const { compaction_instructions, max_turns, compaction_context_limit, compaction_every_turns } = compaction;
  const turns = max_turns === undefined ? {} : { turns: max_turns };
  return after(tools.specs(), (specs) => ({
    systemPrompt,
    tools: specs,
    compaction: withoutInfinity({
      ...(compaction_instructions !== undefined && { instructions: compaction_instructions }),
      ...(compaction_context_limit !== undefined && { context_limit: compaction_context_limit }),
      ...(compaction_every_turns !== undefined && { every_turns: compaction_every_turns }),
    }),
    limits: withoutInfinity({ ...turns, ...limits }),
    budgets: budgets ?? {},
    prices: prices ?? {},
    model: transportOf(model)?.options ?? { host: { name: model.name } },
  }));
}

/** The settings that a core has, so that only changes cross. */
export class SentSettings {
  readonly #sent = new Map<string, string>();

  remember(settings: CoreSettings): void {
    for (const [key, value] of Object.entries(settings)) this.#sent.set(key, JSON.stringify(value));
  }

  /** What differs, as JSON; nothing where all is the same. */
  changes(settings: CoreSettings): string | undefined {
    const changes = Object.entries(settings).filter(([key, value]) => this.#sent.get(key) !== JSON.stringify(value));
    return changes.length ? JSON.stringify(Object.fromEntries(changes)) : undefined;
  }
}
