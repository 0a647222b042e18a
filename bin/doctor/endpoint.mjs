// Whether a chat endpoint is there: a request that every handler refuses before it calls a model.

const waitMs = 15_000;

export async function endpoint(url, fetch) {
  const at = (code, message, mend) => [{ level: "wrong", code, message, mend, url }];
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return at("URL_INVALID", `${url} is no address.`, "Write it whole, as in http://localhost:3000/api/chat.");
  }
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      redirect: "manual",
      signal: AbortSignal.timeout(waitMs),
    });
  } catch (error) {
    const why = error?.cause?.code ?? error?.name ?? "no answer";
    return at("ENDPOINT_UNREACHABLE", `${url} does not answer (${why}).`, "Start the server, and look at its port.");
  }
  const { status } = response;
  const code = (await response.json().catch(() => undefined))?.error?.code;
  // It judged the request, or asked who is calling.
  if (code === "REQUEST_INVALID" || code === "UNAUTHORIZED" || code === "FORBIDDEN" || code === "AUTHORIZE_TIMEOUT") return [];
  if (status >= 300 && status < 400) {
    return at("ENDPOINT_REDIRECTS", `${url} leads to another address (${status}).`, "Name the address that it leads to.");
  }
  if (code === "MODEL_CONFIG")
    return at("ENDPOINT_CONFIG", `The handler at ${url} is not set up for its model.`, "Set its key; its console says which.");
  if (status === 404 || status === 405) {
    return at(
      "ENDPOINT_MISSING",
      `There is no chat handler at ${url} (${status}).`,
      "Look at the path of the route, and that it takes POST.",
    );
  }
  if (status >= 500) return at("ENDPOINT_FAILS", `The server fails at ${url} (${status}).`, "Look into its log.");
  return at(
    "ENDPOINT_OTHER",
    `What answers at ${url} is no chat handler (${status}).`,
    "Serve this path with `createChatHandler`.",
  );
}
