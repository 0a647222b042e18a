// The question whether a person signs in, as a slot of the call that needs it: it is there after a reload, and the call goes on once.

import type { ToolConfig, ToolDisplay } from "../../src/ports/tool.js";
import type { SignInQuestion } from "../auth/registry.js";
import { turnedDown } from "./turned-down.js";

/** Which server, and who. */
export type Asked = Omit<SignInQuestion, "message">;

/** A server that takes no token, however new, asks no more than that. */
const mostTimes = 3;

function question({ server, url, user }: Asked) {
  const message = `The server "${server}" (${new URL(url).host}) wants you to sign in.`;
  const input: SignInQuestion = { server, url, ...(user !== undefined && { user }), message };
  return { renderer: "mcp_sign_in", input };
}

/** Does something, and once more when the person has signed in. The result stands where they do not. */
export async function signingIn<T>(
  display: Pick<ToolDisplay, "pushAndWait" | "signal">,
  asked: Asked | undefined,
  work: (time: string) => Promise<T>,
  wantsIt: (result: T) => boolean,
): Promise<T> {
  let result = await work("");
  for (let time = 1; asked && time <= mostTimes && wantsIt(result); time++) {
    try {
      await display.pushAndWait(question(asked));
    } catch (error) {
      turnedDown(error, display.signal);
      return result;
    }
    result = await work(`, signed in ${time}`);
  }
  return result;
}

/** Stands in the place of a server's tools, of which nothing is known before somebody has signed in. */
export function signInTool(asked: Asked, list: () => Promise<unknown>): ToolConfig<unknown> {
  return {
    name: `${asked.server}__sign_in`,
    description: `Asks the person to sign in to the server "${asked.server}". Its tools are there afterwards.`,
    title: `${asked.server}: sign in`,
    jsonSchema: { type: "object", properties: {} },
    idempotent: true,
    async do(_, display) {
      await display.pushAndWait(question(asked));
      await list();
      return `The person has signed in to "${asked.server}", and its tools are there now.`;
    },
  };
}
