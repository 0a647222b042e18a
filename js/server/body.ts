// A posted body as text, within a limit.
import { refuse } from "./refused.js";

/** Reads a JSON body; stops at the limit, whatever the headers say of its length. */
export async function readBody(request: Request, limit: number): Promise<string> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    refuse(415, "CONTENT_TYPE", "The request's body must be JSON, with the content type application/json.");
  }
  const tooLarge = () =>
    refuse(
      413,
      "BODY_TOO_LARGE",
      `The request's body is larger than the ${limit} bytes that are allowed. Where that is too few, raise the handler's limits.bodyBytes.`,
    );
  if (Number(request.headers.get("content-length") ?? 0) > limit) tooLarge();
  const reader = request.body?.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > limit) tooLarge();
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    reader?.cancel().catch(() => {});
    if (error instanceof TypeError) refuse(400, "BODY_NOT_JSON", "The request's body cannot be read as UTF-8 text.", error);
    throw error;
  }
}
