// `glove-wasm/tools`: tools that are ready, and tools whose code runs in a sandbox.
export { defineSandboxTool, type SandboxExecInput, type SandboxTool, sandboxExec } from "./sandbox/define.js";
export type { SandboxGrants, SandboxLimits } from "./sandbox/options.js";
export { type SearchResult, type UrlExtractOptions, urlExtract, type WebSearchOptions, webSearch } from "./web/search.js";
export { type CheckedLink, httpFetch, httpPost, linksCheck, type WebToolInput, type WebToolOptions } from "./web/tools.js";
