// The secrets of tools: asked for at each call, and given to that call alone. The core strikes them out of what the call says.
import { GloveError } from "../src/values/error.js";

/** Who asks. */
export interface CredentialRequest {
  readonly tool: string;
  readonly taskId: string;
  readonly callId: string;
}

/** Gives the secrets of a call by their names, from wherever the application has them; nothing for a tool that needs none. */
export type CredentialBroker = (
  request: CredentialRequest,
) => Readonly<Record<string, string>> | undefined | Promise<Readonly<Record<string, string>> | undefined>;

export class Vault {
  readonly #broker: CredentialBroker;
  readonly #report: (code: string, error: unknown) => void;
  readonly #issued = new Map<string, Readonly<Record<string, string>>>();

  constructor(broker: CredentialBroker, report: (code: string, error: unknown) => void) {
    this.#broker = broker;
    this.#report = report;
  }

  /** Both are JSON. What goes wrong the application hears, and no model. */
  async ask(request: string): Promise<string> {
    const { tool, task_id, call_id } = JSON.parse(request) as { tool: string; task_id: string; call_id: string };
    try {
      const secrets: unknown = (await this.#broker({ tool, taskId: task_id, callId: call_id })) ?? {};
      if (!isOfTexts(secrets)) {
        throw new GloveError("TASK_CREDENTIALS_FAILED", `\`credentials\` must give an object of strings for the tool "${tool}".`);
      }
      this.#issued.set(call_id, Object.freeze({ ...secrets }));
      return JSON.stringify(secrets);
    } catch (error) {
      this.#report("TASK_CREDENTIALS_FAILED", error);
      throw new GloveError("TASK_CREDENTIALS_FAILED", "There are no credentials.");
    }
  }

  of(callId: string): Readonly<Record<string, string>> | undefined {
    return this.#issued.get(callId);
  }

  /** The call has ended. */
  forget(callId: string): void {
    this.#issued.delete(callId);
  }
}

function isOfTexts(secrets: unknown): secrets is Readonly<Record<string, string>> {
  return secrets !== null && typeof secrets === "object" && Object.values(secrets).every((value) => typeof value === "string");
}
