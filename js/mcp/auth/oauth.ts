// The steps of OAuth, by the official client's own helpers: a sign-in that begins, one that comes back, and tokens that are made anew.

import type { OAuthClientMetadata, OAuthClientProvider } from "@modelcontextprotocol/client";
import { GloveError, reasonOf } from "../../src/values/error.js";
import { type SdkModule, shortened } from "../connection/errors.js";
import { isSafe } from "../safe-address.js";
import type { McpAuthOptions } from "./auth-options.js";
import { type ClientKey, type Flow, issuerOf, type Kept, type Owner, type Rows, type Wanted } from "./rows.js";
import { authFailed, safeFetch } from "./safe-fetch.js";
import { statePrefix } from "./state-prefix.js";

/** What asks for a sign-in, and where it keeps that. */
export interface Application {
  readonly options: Pick<McpAuthOptions, "clientName" | "clientMetadataUrl" | "clientId" | "scope" | "fetch"> & {
    /** Of a server, which can keep one. */
    readonly clientSecret?: string | undefined;
  };
  readonly rows: Rows;
  /** How the official client is loaded: only the application of a server may name it to its bundler. */
  readonly loadSdk: () => Promise<SdkModule>;
}

/** The address at which a person signs in. What is needed when they come back is kept by then. */
export async function begun(
  { options, rows, loadSdk }: Application,
  started: Omit<Flow, "at" | "verifier" | "discovery">,
  wanted: Wanted | undefined,
): Promise<URL> {
  const { redirectUrl } = started;
  const flow: Flow = { ...started, at: Date.now() };
  const state = statePrefix + crypto.randomUUID();
  let address: URL | undefined;
  const provider: OAuthClientProvider = {
    ...providerOf(flow, options, rows),
    redirectUrl,
    state: () => state,
    // Each sign-in asks anew who signs in, and what for.
    discoveryState: () => undefined,
    redirectToAuthorization: (to) => {
      address = to;
    },
  };
  const sdk = await loadSdk();
  const metadata = metadataUrl(wanted, new URL(flow.url));
  const scope = scopesOf(options.scope, wanted?.scope);
  await sdk.auth(provider, {
    serverUrl: flow.url,
    ...(metadata && { resourceMetadataUrl: metadata }),
    ...(scope && { scope }),
    fetchFn: safeFetch(options.fetch),
    forceReauthorization: true,
  });
  if (!address) throw authFailed("the server wants nobody to sign in");
  if (!isSafe(address)) throw authFailed(`it leads to ${address.origin}, where nothing is encrypted`);
  // Without it whoever sees the code could use it.
  const methods: unknown = flow.discovery?.authorizationServerMetadata?.code_challenge_methods_supported;
  if (!Array.isArray(methods) || !methods.includes("S256"))
    throw authFailed(`${address.origin} does not say that it takes PKCE (\`code_challenge_methods_supported\`)`);
  await rows.begin(state, flow);
  return address;
}

/** The tokens for what a person has come back with. */
export async function exchanged({ options, rows, loadSdk }: Application, flow: Flow, said: URLSearchParams): Promise<void> {
  let kept: Kept | undefined;
  const own = providerOf(flow, options, rows);
  const provider: OAuthClientProvider = {
    ...own,
    redirectUrl: flow.redirectUrl,
    redirectToAuthorization: () => {},
    saveTokens: async (tokens, context) => {
      const client = await own.clientInformation(context);
      if (client && flow.discovery) kept = { tokens, client, discovery: flow.discovery };
    },
  };
  const sdk = await loadSdk();
  const transport = new sdk.StreamableHTTPClientTransport(new URL(flow.url), {
    authProvider: provider,
    fetch: safeFetch(options.fetch),
  });
  // Who answers is checked before anything that is said is believed, also that something went wrong.
  await transport.finishAuth(said);
  if (!kept) throw authFailed("no token came");
  await rows.keep(flow.owner, kept);
  await rows.want(flow.owner, undefined);
}

/** What only differs by step is added by it. */
function providerOf(flow: Flow, options: Application["options"], rows: Rows) {
  const { clientName = globalThis.document?.title || "glove-wasm", clientMetadataUrl, clientId, clientSecret, scope } = options;
  const clientMetadata: OAuthClientMetadata = {
    client_name: clientName,
    redirect_uris: [flow.redirectUrl],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    ...(scope && { scope }),
  };
  const by = (issuer: string): ClientKey => [issuer, flow.redirectUrl, clientName];
  return {
    clientMetadata,
    ...(clientMetadataUrl && { clientMetadataUrl }),
    clientInformation: async (context) =>
      clientId === undefined
        ? rows.client(by(issuerOf(context)))
        : { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }), issuer: issuerOf(context) },
    saveClientInformation: async (client, context) => rows.keepClient(by(issuerOf(context)), client),
    tokens: () => undefined,
    saveTokens: () => {},
    saveCodeVerifier: (verifier) => {
      flow.verifier = verifier;
    },
    codeVerifier: () => {
      if (flow.verifier === undefined) throw authFailed("it was not begun here");
      return flow.verifier;
    },
    saveDiscoveryState: (discovery) => {
      flow.discovery = discovery;
    },
    discoveryState: () => flow.discovery,
    // The server knows the application no more: it is registered again.
    invalidateCredentials: async (what) => {
      const { authorizationServerMetadata: known, authorizationServerUrl: url = "" } = flow.discovery ?? {};
      if (what === "client") await rows.keepClient(by(known?.issuer ?? url), undefined);
    },
  } satisfies Partial<OAuthClientProvider>;
}

/** Other tokens than `used`, made in whichever tab comes first. `false` where a person has to sign in. Call it one at a time. */
export async function refreshed(
  { options, rows, loadSdk }: Application,
  owner: Owner,
  used: string | undefined,
): Promise<boolean> {
  const kept = await rows.kept(owner);
  if (!kept) return false;
  const { tokens, client, discovery } = kept;
  if (tokens.access_token !== used) return true;
  if (!tokens.refresh_token) return false;
  const sdk = await loadSdk();
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
  try {
    const fresh = await sdk.refreshAuthorization(authorizationServerUrl, {
      ...(metadata && { metadata }),
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      ...(resourceMetadata && { resource: resourceMetadata.resource }),
      fetchFn: safeFetch(options.fetch),
    });
    const { issuer } = tokens;
    await rows.keep(owner, { ...kept, tokens: { ...fresh, ...(issuer !== undefined && { issuer }) } });
    return true;
  } catch (error) {
    // What the server has let go is of no use any more. All else may pass.
    if (!sdk.OAuthError.isInstance(error) || !/^(invalid_grant|invalid_client|unauthorized_client)$/.test(error.code))
      throw failure(error, true);
    // Another server of the application was faster: these are spent, and its are good.
    const now = await rows.kept(owner);
    if (now && now.tokens.access_token !== used) return true;
    await rows.keep(owner, undefined);
    return false;
  }
}

/** The server takes no token that there is. What it wants is kept, for when the person signs in; `more`: beside what they have. */
export async function keepWanted(
  rows: Rows,
  owner: Owner,
  used: string | undefined,
  { metadata, scope }: Wanted,
  more: boolean,
): Promise<void> {
  const kept = await rows.kept(owner);
  // Somebody has signed in meanwhile.
  if (kept && kept.tokens.access_token !== used) return;
  await rows.want(owner, { metadata, scope: more ? scopesOf(kept?.tokens.scope, scope) : scope });
}

/** What a server says of itself stands with it: it sends nobody to another one. */
function metadataUrl(wanted: Wanted | undefined, server: URL): URL | undefined {
  if (!wanted?.metadata || !URL.canParse(wanted.metadata)) return undefined;
  const url = new URL(wanted.metadata);
  return url.origin === server.origin ? url : undefined;
}

/** Each once. */
export function scopesOf(...scopes: readonly (string | undefined)[]): string | undefined {
  return [...new Set(scopes.flatMap((scope) => scope?.split(/\s+/).filter(Boolean) ?? []))].join(" ") || undefined;
}

/** What went wrong, for a person. */
export function failure(cause: unknown, retryable = false): GloveError {
  if (cause instanceof GloveError) return cause;
  return authFailed(shortened(reasonOf(cause) || "nothing says why").replace(/\.$/, ""), {
    cause,
    ...(retryable && { retryable }),
  });
}
