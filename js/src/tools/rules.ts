// What a tool's own rules say of a call: whether it needs a permission, or the consent of a person. It holds for that tool alone.

import type { ApprovalRule, ToolConfig } from "../ports/tool.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { GloveError } from "../values/error.js";
import { toLooseJson } from "../values/json.js";
import { describeValue, isApprovalRule } from "../values/validate-options.js";
import type { ToolInput } from "./arguments.js";
import { presence, said } from "./combined-tools.js";
import { gate } from "./spec.js";

/** Whether a tool needs a permission for this. Rejects when its rule gives no answer. The rule gets a copy of the arguments. */
export async function permissionRule(
  { name, requiresPermission: rule }: Pick<ToolConfig, "name" | "requiresPermission">,
  copy: () => Maybe<unknown>,
): Promise<boolean> {
  const verdict: unknown = typeof rule === "function" ? await rule(await copy()) : (rule ?? false);
  if (typeof verdict === "boolean") return verdict;
  throw ruleAnswered(name, "requiresPermission", verdict, "true or false");
}

/** Whether a person must agree to this call. Rejects when its rule gives no answer. */
export async function approvalRule(
  { name, requireApproval: rule }: ToolConfig,
  copy: () => Maybe<unknown>,
): Promise<ApprovalRule> {
  const verdict: unknown = typeof rule === "function" ? await rule(await copy()) : (rule ?? false);
  if (!isApprovalRule(verdict))
    throw ruleAnswered(name, "requireApproval", verdict, "true, false or { required: true or false }");
  return typeof verdict === "boolean" ? { required: verdict } : verdict;
}

function ruleAnswered(tool: string, rule: string, answer: unknown, expected: string): GloveError {
  const message = `\`${rule}\` of the tool "${tool}" must return ${expected}, got ${describeValue(answer)}.`;
  return new GloveError("TOOL_RULE_FAILED", message);
}

/** What a decision about a call rests on: what its tool says to a person who decides. It is stored with the call. */
export interface Judged {
  /** Only of a tool of a component: it is held to it. */
  readonly gates?: string | undefined;
  readonly title?: string | undefined;
  /** The title is no text made of the arguments: it names the button. Only of a tool of a plugin. */
  readonly act?: true | undefined;
  readonly description: string;
  readonly confirm?: string | undefined;
  readonly danger?: true | undefined;
  /** A rule let some of it pass, and nobody was asked: it holds as long as its page lives. */
  readonly unasked?: true | undefined;
}

interface Judgement {
  readonly component: object | undefined;
  readonly gates: string;
  /** What a person was asked with, as JSON of `Judged`. */
  readonly asked: string | undefined;
}

/** Which tool judged a call, where components bring tools and take them away. */
export class Judgements {
  /** Of calls that have not ended. */
  readonly #byCall = new Map<string, Judgement>();
  /** Whether a plugin has added it: a page that is loaded anew knows it only with the next call of the model. */
  readonly #isAdded: (tool: ToolConfig) => boolean;

  constructor(isAdded: (tool: ToolConfig) => boolean) {
    this.#isAdded = isAdded;
  }

  /** Its tool has judged this call: a person is asked, or need not be. What is to be stored of that, as JSON of `Judged`. */
  made(id: string, tool: ToolConfig, given: ToolInput, isAsked: boolean): string | undefined {
    if (isAsked && this.#isAdded(tool)) {
      const act = typeof tool.title === "string" || undefined;
      return toLooseJson({ ...saidOf(tool, given), act } satisfies Judged);
    }
    if (!presence.has(tool)) return undefined;
    const asked = isAsked ? judgedOf(tool, given) : this.#byCall.get(id)?.asked;
    this.#byCall.set(id, { ...identity(tool), asked });
    if (isAsked || asked === undefined) return asked;
    return JSON.stringify({ ...(JSON.parse(asked) as Judged), unasked: true });
  }

  /** Whether what was decided was decided with this very tool. If not, it is forgotten: the call is judged anew. `stored` is from a page before. */
  hold(id: string, tool: ToolConfig, given: ToolInput, stored: string | undefined): boolean {
    if (!presence.has(tool)) return true;
    const judged = this.#byCall.get(id);
    const { component, gates } = identity(tool);
    const now = judgedOf(tool, given);
    const holds = judged
      ? judged.component === component && judged.gates === gates && (judged.asked === undefined || judged.asked === now)
      : gates === ungated || stored === now;
    if (!holds) this.#byCall.delete(id);
    else if (!judged) this.#byCall.set(id, { component, gates, asked: stored });
    return holds;
  }

  end(id: string): void {
    this.#byCall.delete(id);
  }
}

const gatesOf = ({ requiresPermission, requireApproval }: Pick<ToolConfig, "requiresPermission" | "requireApproval">) =>
  `${gate(requiresPermission)} ${gate(requireApproval)}`;

const ungated = gatesOf({});

const identity = (tool: ToolConfig) => ({ component: presence.get(tool)?.component, gates: gatesOf(tool) });

/** All that the tool says to a person who decides, of the arguments as they are shown. */
function saidOf({ title, description, confirm, danger }: ToolConfig, { value }: ToolInput): Judged {
  const input: unknown = JSON.parse(toLooseJson(value));
  return { title: said(title, input), description, confirm: said(confirm, input), danger: danger ? true : undefined };
}

const judgedOf = (tool: ToolConfig, given: ToolInput) => toLooseJson({ gates: gatesOf(tool), ...saidOf(tool, given) });
