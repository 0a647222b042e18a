// A posted body, within a limit.
import { clientDisconnected } from "../src/relay/refusal-response.js";
import type { ChatHandlerLimits } from "./config.js";
import { Refused, refuse } from "./refuse.js";

/** The default of `limits.bodyBytes`. */
const defaultLimit = 8_388_608;

/** Reads a JSON body. */
export async function readBody(request: Request, limits?: ChatHandlerLimits): Promise<string> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    refuse(415, "CONTENT_TYPE", "The request body must be JSON, with the content type application/json.");
  }
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (error) {
      return refuse(400, "BODY_NOT_JSON", "The request body is not valid UTF-8.", error);
    }
  };
  let text = "";
  await readPieces(request, limits, (piece) => {
    text += decode(piece);
  });
  return text + decode();
}

/** Reads a body in pieces; stops at the limit, whatever the headers say of its length, and when the client leaves. */
export async function readPieces(
  request: Request,
  limits: ChatHandlerLimits | undefined,
  take: (piece: Uint8Array) => void,
): Promise<void> {
  const limit = limits?.bodyBytes ?? defaultLimit;
  const tooLarge = () =>
    refuse(
      413,
      "BODY_TOO_LARGE",
      "The request is too large: send a smaller picture or file.",
      undefined,
      `A request body exceeded ${limit} bytes. To allow larger ones, raise the handler's limits.bodyBytes.`,
    );
  if (Number(request.headers.get("content-length") ?? 0) > limit) tooLarge();
  const reader = request.body?.getReader();
  const { signal } = request;
  // It ends what is being read.
  const stop = () => void reader?.cancel().catch(() => {});
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  let size = 0;
  try {
    for (;;) {
      // An upload that breaks off is a client that left.
      const piece = await reader?.read().catch(() => gone());
      if (signal.aborted) gone();
      if (!piece?.value) return;
      size += piece.value.byteLength;
      if (size > limit) tooLarge();
      take(piece.value);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

function gone(): never {
  throw new Refused(clientDisconnected);
}
