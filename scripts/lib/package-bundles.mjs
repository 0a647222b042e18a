// Which files the package ships, and which modules each of them has.

const below = (folder, ...names) => names.map((name) => `${folder}/${name}.js`);

/** What a page has before it draws, and what is loaded later needs as well: errors, values, what a session is made of. It loads nothing itself. */
const base = "src/values/error.js";
/** The same for what React draws. */
const reactBase = "react/render/labels.js";

/** What is loaded later takes of what is there already only this. */
export const drawing = new Set([base, reactBase]);

/**
 * By file, named by one of its modules: the modules that bring the others which they import. The first file that reaches a module has it. A
 * module that is named nowhere and reached by none is a file of its own.
 */
export const bundles = {
  [base]: below(
    "src",
    ...[
      "core/stays-undelivered",
      "display/manager",
      "early/request",
      "models/options",
      "models/ready",
      "models/transport",
      "relay/source",
      "schema/made",
    ],
    ...[
      "ports/session-config",
      "ports/store",
      "snapshot/page-events",
      "snapshot/pace",
      "store/errors",
      "store/indexeddb/schema",
      "store/limits",
      "store/local/local-copy",
    ],
    ...[
      "tools/combined-tools",
      "tools/options",
      "values/ids",
      "values/omit-undefined",
      "values/refusals",
      "wasm/controllers",
      "wasm/core-errors",
    ],
  ).concat(below("react", "hooks/listeners", "slots/drawing")),
  "src/entries/inline-core.js": [],
  "src/models/record.js": [],

  // ---- what draws --------------------------------------------------------------------------------------------------------
  "src/models/endpoint.js": [],
  "src/store/indexeddb/store.js": [],
  "src/tools/define.js": [],
  "src/session/client.js": [],

  // ---- what a first message needs ------------------------------------------------------------------------------------
  "src/wasm/sessions.js": below("src/wasm", "border", "core", "guard"),
  "src/wasm/inline-file.js": [],
  "src/core/session-chunk.js": ["src/store/indexeddb/session-row-store.js"],
  "src/tools/runner.js": ["src/tools/spec.js"],

  // ---- what only some pages use at once --------------------------------------------------------------------------------
  // Apart from what brings the wasm file with it, which the slim entry has not.
  "src/session/run.js": [],
  "src/session/synchronous.js": [],
  "src/wasm/source.js": [],
  "src/store/memory.js": [],
  "src/classic/glove.js": below(
    "src/classic",
    ...["agent", "context", "executor", "format-messages", "inbox-tool", "observer", "prompt-machine", "task-tool"],
  ),
  "src/models/providers.js": below("src/models", "adapters", "parse-sse"),
  "src/models/built-in/model.js": [],
  // Apart from what leads to models and stores.
  "src/ports/skill.js": [],
  "src/agents/define-agent.js": below(
    "src",
    ...["models/remote", "ports/hook", "schema/json-schema", "session/ask-for", "session/prompt-events"],
    ...["snapshot/without-approvals", "store/remote"],
  ),
  "src/entries/inline-classic.js": [],
  "src/entries/inline-client.js": [],
  "src/exports.js": [],
  "src/index.js": [],

  // ---- what is loaded later ----------------------------------------------------------------------------------------------
  "src/plugins/skill-text.js": [],
  "src/store/maintenance-chunk.js": ["src/session/fork-title.js", "src/store/salvage.js"],
  "src/recording/run-file.js": [],
  "src/models/bridge.js": [],
  // What stands around calls of models and of tools.
  "src/models/around-model.js": ["src/middleware/around-tool.js"],
  // With what counts the calls in it.
  "src/wasm/providers.js": below("src/relay", "answer", "events", "refusal-response", "relay-call"),
  "src/wasm/generated/glove_providers_bytes.js": [],
  "src/relay/direct.js": ["src/relay/core.js"],

  // ---- React -----------------------------------------------------------------------------------------------------------
  [reactBase]: below(
    "react",
    ...["finding/key", "hooks/handle-registry", "hooks/use-browser-layout-effect", "languages/known", "look/adopt"],
    ...["look/loader", "parts/chat-context", "parts/reading/view-of", "render/boundary"],
  ),
  // What draws has no need of it; the parts of a chat, what files are chosen with, and markdown have.
  "react/parts/composer/use-composer.js": ["react/render/long-text.js"],
  // What is shown of a conversation, without React: Vue, Svelte and Solid have it, too.
  "react/hooks/engine.js": ["src/threads/thread-store.js"],
  "src/threads/watch-unread.js": [],
  "react/hooks/use-glove.js": below(
    "react",
    ...["agents/define-agent", "answers/use-partial", "hooks/messages", "hooks/provider", "hooks/use-prompts"],
    ...["hooks/use-suspense-glove", "render/render", "renderers/index", "threads/parts", "threads/use-threads", "widget/parts"],
  ),
  "react/look/generated/css.js": [],
  // What is open, and where the focus goes: one for the cards of a chat and for the questions in it.
  "react/slots/one-open.js": ["react/slots/use-question-focus.js"],
  "react/parts/thread.js": below(
    "react",
    ...["parts/activity", "parts/calls/tool-card", "parts/message", "parts/notices/error-notice", "parts/queue"],
    ...["parts/reading/thread-log", "parts/welcome", "render/defaults"],
    ...["parts/as-child", "parts/calls/change", "parts/calls/chunked-text", "parts/calls/result-text", "parts/calls/tool-state"],
    ...["parts/calls/values", "parts/copy-button", "parts/draft-text", "parts/icons", "parts/notices/error-messages"],
    ...["finding/late", "render/mount-renderer", "render/use-display-contents", "text/visible"],
  ),
  "react/look/view.js": [],
  // With the sheet for what cards seldom show, which the list of tasks has from there.
  "react/parts/calls/details.js": [],
  "react/attachments/attach.js": [],
  // The list of threads, and what finds words in their messages.
  "react/threads/index.js": [],
  // With the first message that waits, a full context or a cut answer: parts of an application have it at once.
  "react/working/index.js": [],
  "react/parts/index.js": [],

  "conversation/chat.js": ["conversation/follow.js"],

  // ---- the other entries -----------------------------------------------------------------------------------------------
  // With what follows a session for handlers of AG-UI and MCP.
  "server/body.js": [...below("server", "authorize", "cors", "refuse"), "src/session/watch.js"],
  "server/handler.js": ["server/ai-sdk/model.js", "server/resume/answer-buffer.js"],
  "tasks/watch.js": below(
    "tasks",
    "options",
    "read-task",
    "skills/read",
    "workspaces/refusals",
    "workspaces/stored",
    "workspaces/workspace",
  ),
  // Apart from what watches: it leads to sessions, and who watches a task has none.
  "tasks/host.js": ["tasks/loop.js"],
  "tools/web/ask.js": [],
  "tools/sandbox/define.js": [],
  // What signs in to which server, and what a person has come back with: one for what draws the question and for what asks it.
  "mcp/auth/registry.js": ["mcp/auth/returned.js"],
  // The steps of a sign-in, and what is kept of it: in the page, by its handler, and in the handler.
  "mcp/auth/oauth.js": below("mcp/auth", "rows", "safe-fetch"),
  // What is made of tools that others describe: for servers of MCP and for scripts of the page.
  // Calls from outside of the conversation: by scripts of the page and by apps.
  "mcp/tools/outside-call.js": [],
  "mcp/apps/app-call.js": [],
  "mcp/tools/tool.js": below("mcp/tools", "names", "result", "tool-list", "trust"),
};

/** Two files that are loaded later and belong together share these. */
export const shared = new Set([
  "mcp/auth/oauth.js",
  "mcp/auth/registry.js",
  "mcp/tools/tool.js",
  "react/attachments/attach.js",
  "react/parts/calls/details.js",
  "react/parts/composer/use-composer.js",
  "react/parts/thread.js",
  "react/slots/one-open.js",
  "react/threads/index.js",
  "react/working/index.js",
  "src/models/around-model.js",
  "src/models/bridge.js",
  "src/plugins/skill-text.js",
]);

/**
 * Modules that keep nothing, small enough for a copy in each file that needs them and whose reader has them nowhere else: a file more is a
 * request more, at the moment when somebody waits.
 */
export const copied = new Set([
  ...below("src/messages", "continued", "messages", "request", "words"),
  ...below("src/models", "page-models"),
  ...below("src/plugins", "slash-names", "yielded"),
  ...below("src/ports", "hook", "middleware/middleware", "model-options", "plugin"),
  ...below("src/recording", "play", "redact"),
  ...below("src/relay", "collect", "http", "model-call"),
  ...below("src/schema", "json-schema-of", "own-json-schema", "validator"),
  ...below("src/store", "bridge", "json-text", "permissions", "run-format", "sessions", "step", "token-count", "writes"),
  ...below("src/store/indexeddb", "failures", "media", "read", "title"),
  ...below("src/tabs", "command-rules", "command-sender", "latest-state", "tab-adapter", "page-life"),
  ...below("src/timing", "microtask-turn", "time-limit", "turn"),
  ...below("src/tools", "answer-tool", "arguments", "call-display", "outputs", "result", "rules", "spec", "task-tool", "toolbox"),
  ...below("src/values", "base64", "copy", "names", "plain", "tab-version", "utf8"),
  ...below("src/wasm", "border", "core", "generated/unpacker", "guard", "inline"),
  ...below("src/wire", "attachments", "visible-text"),
  ...below("tools/web", "hosts"),
  ...below("react/hooks", "messages"),
  ...below("react/attachments", "attachment", "file-kind", "file-labels", "pasted/put-text", "scale-image", "styled"),
  ...below("react/languages", "words"),
  ...below("react/look", "generated/attachments-css", "generated/base-css", "on-back", "sheet"),
  ...below("react/markdown", "safe-url"),
  ...below("react/outputs", "coming", "file-card", "zoom"),
  ...below("react/parts", "as-child", "copy-button", "draft-text", "icons", "sources", "versions/branch-picker", "without-marks"),
  ...below("react/parts/calls", "change", "chunked-text", "result-text", "row", "tasks", "tool-state", "values"),
  ...below("react/parts/notices", "error-messages"),
  ...below("react/render", "mount-renderer", "use-display-contents"),
  ...below("react/text", "visible", "visible-text"),
  ...below("react/renderers", "props", "question"),
  ...below(
    "mcp",
    "connection/app-type",
    "form-schema",
    "connection/client-info",
    "connection/errors",
    "connection/load-sdk",
    "safe-address",
    "store",
    "tools/fingerprint",
    "tools/form",
  ),
  ...below(
    "mcp",
    "apps/page-text",
    "auth/state-prefix",
    "auth/window",
    "tools/asked",
    "tools/server-schema",
    "tools/turned-down",
  ),
]);

/** What a page has at once, and what is loaded later takes nothing of: it would be two files, or more. */
export const alone = new Set([
  ...below("src", "exports", "models/endpoint", "session/client", "store/indexeddb/store", "tools/define"),
  "react/hooks/engine.js",
  "react/hooks/use-glove.js",
]);

/** What each copy may keep for itself: nothing of it reaches whoever has the other copy. */
export const keptByEach = new Set([
  // The encoders and decoders of the file.
  "src/values/utf8.js",
  // The promise that was told last, which needs no second listener.
  "src/relay/model-call.js",
  // What a tab has told of an error, which is told by one file.
  "src/tabs/tab-adapter.js",
  // What it has put together before, to give it again as it was.
  "src/messages/continued.js",
  // Keys of React, which are compared at one place of a page, and one file draws there.
  "react/render/mount-renderer.js",
  // A context whose two ends are in one file, and what is loaded by it, which the browser has once.
  "react/outputs/zoom.js",
]);
