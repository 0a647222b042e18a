// What is used of the official client: bundlers leave out the rest of it.

export {
  auth,
  Client,
  extractWWWAuthenticateParams,
  InsufficientScopeError,
  OAuthError,
  ProtocolError,
  refreshAuthorization,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
