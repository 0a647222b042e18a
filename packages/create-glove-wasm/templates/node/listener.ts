// Lets a Node server use a handler that speaks the Fetch API.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

export function listener(handle: (request: Request) => Promise<Response>) {
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort()); // Who leaves stops the model.
    try {
      const request = requestOf(incoming, gone.signal);
      const response = await handle(request);
      // What was refused unread is read all the same: the connection carries no further request before.
      if (request.body && !request.bodyUsed) void request.body.pipeTo(new WritableStream()).catch(() => {});
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      await pipeline(response.body ?? [], outgoing);
    } catch {
      // The client has gone, or its request is none, as with a method that cannot be.
      if (!outgoing.headersSent) outgoing.writeHead(400);
      outgoing.end();
    }
  };
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", headers } = incoming;
  const body = method === "POST" ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" } : {};
  const init = { method, headers: headers as Record<string, string>, signal, ...body };
  return new Request(`http://${headers.host}/api/chat`, init as RequestInit);
}
