// Authorization, whose a request is, and what signs what a page brings back. Only `true` lets a request through: any other answer, or none in
// time, refuses it.

import { broken } from "../src/relay/answer.js";
import { describeValue } from "../src/values/validate-options.js";
import type { ChatHandlerConfig } from "./config.js";
import { refuse } from "./refuse.js";

const signIn = "Sign in to use this endpoint.";

/** Gives the response that the application refuses with, if it has one of its own. */
export async function checkPermission(
  { authorize, authorizeMs = 30_000 }: Pick<ChatHandlerConfig, "authorize" | "authorizeMs">,
  request: Request,
): Promise<Response | undefined> {
  if (!authorize) return undefined;
  let answer: unknown;
  try {
    answer = await inTime(Promise.resolve(authorize(request)), authorizeMs);
  } catch (error) {
    refuse(403, "FORBIDDEN", "This request is not allowed.", error);
  }
  if (answer === late) {
    const detail = `\`authorize\` did not settle within ${authorizeMs} ms (\`authorizeMs\`), so the request was refused.`;
    refuse(503, "AUTHORIZE_TIMEOUT", "Authorization took too long. Try again.", undefined, detail);
  }
  if (answer === true) {
    if (!request.bodyUsed && !request.body?.locked) return undefined;
    const { status, code, message } = broken;
    refuse(status, code, message, undefined, "`authorize` consumed the request body: read it from `request.clone()` instead.");
  }
  // One whose body was sent already cannot be sent again, and an error response cannot be sent at all.
  if (isResponse(answer) && !answer.bodyUsed && answer.status >= 200) return new Response(answer.clone().body, answer);
  if (!answer) refuse(401, "UNAUTHORIZED", signIn);
  const detail = `\`authorize\` must return \`true\` to let a request through, got ${isResponse(answer) ? "a response that cannot be sent" : describeValue(answer)}.`;
  refuse(401, "UNAUTHORIZED", signIn, undefined, detail);
}

/** Whose the request is; an empty text where nobody says so. */
export async function ownerOf({ owner }: Pick<ChatHandlerConfig, "owner">, request: Request): Promise<string> {
  if (!owner) return "";
  const name = await owner(request);
  if (typeof name === "string") return name;
  throw new TypeError(`\`owner\` must return a string, got ${describeValue(name)}.`);
}

const late = Symbol("late");

async function inTime(answer: Promise<unknown>, ms: number): Promise<unknown> {
  if (ms === 0) return answer;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise((resolve) => {
    timer = setTimeout(resolve, ms, late);
  });
  return Promise.race([answer, end]).finally(() => clearTimeout(timer));
}

/** Also one of another realm or of a library. */
function isResponse(value: unknown): value is Response {
  return value instanceof Response || Object.prototype.toString.call(value) === "[object Response]";
}

/** What a key has at least, of a provider; a secret is not made of less. */
const keyLetters = 20;

/** `own`: of this process, where there is nothing that all servers of the application share. */
export function secretOf({ toolSecret }: Pick<ChatHandlerConfig, "toolSecret">, key: () => string, own: string): string {
  if (toolSecret) return toolSecret;
  // All servers of an application have the same key of its provider, and nobody else has it.
  const shared = key();
  return shared.length >= keyLetters ? shared : own;
}
