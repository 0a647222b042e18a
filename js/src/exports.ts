// What both entries offer, whichever way the core is started.

export type { AgentDefinition } from "./agents/agent.js";
export { type AgentTask, defineAgent } from "./agents/define-agent.js";
export type { AgentParts } from "./classic/agent.js";
export { Context } from "./classic/context.js";
export { formatMessages, type OpenAIContentPart, type OpenAIMessage } from "./classic/format-messages.js";
export type { GloveConfig, GloveFoldArgs, IGloveBuilder } from "./classic/glove.js";
export { createInboxTool } from "./classic/inbox-tool.js";
export { Observer } from "./classic/observer.js";
export { PromptMachine } from "./classic/prompt-machine.js";
export { createTaskTool } from "./classic/task-tool.js";
export type { HandOverFunction, Tool } from "./classic/tool.js";
export { DisplayManager, Displaymanager } from "./display/manager.js";
export { conversationAsMarkdown, type MarkdownDocumentOptions } from "./messages/as-markdown.js";
export type { AnswerOutcome, RunOutcome, SendMessage } from "./messages/outcome.js";
export type { FileInput, ImageInput, MessageInput } from "./messages/request.js";
export {
  type AdapterClass,
  type AdapterOptions,
  type AdapterOptions as AnthropicAdapterConfig,
  type AdapterOptions as AnthropicCompatAdapterConfig,
  type AdapterOptions as BedrockAdapterConfig,
  type AdapterOptions as MimoAdapterConfig,
  type AdapterOptions as OpenAICompatAdapterConfig,
  type AdapterOptions as OpenRouterAdapterConfig,
  AnthropicAdapter,
  AnthropicCompatAdapter,
  BedrockAdapter,
  MimoAdapter,
  OpenAICompatAdapter,
  OpenRouterAdapter,
} from "./models/adapters.js";
export {
  type BuiltInAvailability,
  type BuiltInContext,
  type BuiltInModel,
  type BuiltInModelOptions,
  createBuiltInModel,
} from "./models/built-in/model.js";
export { createEndpointModel, type EndpointOptions } from "./models/endpoint.js";
export { parseSSEStream } from "./models/parse-sse.js";
export {
  type AvailableProvider,
  type CreateAdapterOptions,
  createAdapter,
  getAvailableProviders,
  type ProviderDef,
  type ProviderFormat,
  type ProviderId,
  type ProviderName,
  providers,
  type ReasoningEffort,
} from "./models/providers.js";
export {
  createRemoteModel,
  type RemoteModelActions,
  type RemotePromptRequest,
} from "./models/remote.js";
export type {
  DisplayManagerAdapter,
  ListenerFn,
  RejectFn,
  Renderer,
  Resolver,
  ResolverFn,
  Slot,
  SlotRequest,
  UnsubscribeFn,
} from "./ports/display.js";
export { defineHook, type Hook, type HookContext, type HookResult } from "./ports/hook.js";
export {
  defineMiddleware,
  type Middleware,
  type MiddlewareContext,
  type MiddlewareModelCall,
  type MiddlewareModelChanges,
  type MiddlewareOutput,
  type MiddlewareStop,
  type MiddlewareToolCall,
} from "./ports/middleware/middleware.js";
export type {
  ModelAdapter,
  ModelNotice,
  ModelPromptResult,
  ModelTool,
  NotifySubscribersFunction,
  PromptRequest,
  SerializedTool,
} from "./ports/model.js";
export type { ModelCallOptions, ModelFacts, ModelPrice, ModelPrices, ToolChoice } from "./ports/model-options.js";
export { type AnyPlugin, definePlugin, type Plugin, type PluginRound, type ToolPlugin } from "./ports/plugin.js";
export type { HasState, PluginState } from "./ports/plugin-state.js";
export type { Prompt } from "./ports/prompt.js";
export type { CompactionConfig, SessionConfig, SessionParts } from "./ports/session-config.js";
export { defineSkill, type Skill, type SkillContext } from "./ports/skill.js";
export type {
  Durability,
  InboxItem,
  InboxItemStatus,
  Salvage,
  SentRequest,
  SessionDamage,
  StepMarks,
  StoreAdapter,
  StoredRun,
  StoredStep,
  TokenCount,
  TokenCount as TokenConsumptionCounter,
} from "./ports/store.js";
export type { EventContext, SubscriberAdapter } from "./ports/subscriber.js";
export type { SubscriberEvent, SubscriberEventDataMap, SubscriberEventOf } from "./ports/subscriber-events.js";
export type {
  ApprovalRule,
  BuiltInChoice,
  BuiltInInfo,
  BuiltInQuestions,
  FileOutput,
  IGloveRunnable,
  NamedElsewhere,
  SeveralQuestions,
  SlotRenderProps,
  ToolAttachment,
  ToolAttachments,
  ToolConfig,
  ToolDisplay,
  ToolFiles,
  ToolResultRenderProps,
} from "./ports/tool.js";
export type { ExportRunOptions } from "./recording/run-file.js";
export type { RemotePromptResponse, RemoteStreamEvent } from "./relay/collect.js";
export type { Fetch } from "./relay/http.js";
export { jsonSchema } from "./schema/json-schema.js";
export type {
  InferInput,
  InferOutput,
  Issue,
  JsonSchema,
  ParsingSchema,
  Partly,
  Schema,
  StandardSchema,
} from "./schema/types.js";
export { type AskForOptions, askFor } from "./session/ask-for.js";
export type { GloveClientConfig, SessionOverrides } from "./session/client.js";
export { type PromptEvent, promptEvents } from "./session/prompt-events.js";
export type { GloveSession, TriggerInput, UndoOptions } from "./session/session.js";
export { DEFAULT_SESSION_STORAGE_KEY, type PersistSessionSetting, type SessionStorage } from "./session/session-id.js";
export type { SessionRunnable } from "./session/session-runnable.js";
export type {
  Approval,
  CallProgress,
  EnhancedSlot,
  GloveSnapshot,
  GloveStats,
  GloveStatus,
  ModelWait,
  QueuedMessage,
  RunPhase,
  ShownEntry,
  ShownFile,
  ShownSlot,
  SlotDisplayStrategy,
  StreamingCall,
  TabRole,
  TimelineEntry,
  ToolEntry,
  UndoableCall,
} from "./snapshot/snapshot.js";
export { slotsWithoutApprovals } from "./snapshot/without-approvals.js";
export { type DatabaseOptions, SessionDatabase } from "./store/indexeddb/database.js";
export { IndexedDBStore } from "./store/indexeddb/store.js";
export { MemoryStore } from "./store/memory.js";
export { permissionKey } from "./store/permissions.js";
export { createRemoteStore, type RemoteStoreActions } from "./store/remote.js";
export type { ImportOptions, SessionCatalog, SessionHit, SessionInfo } from "./store/sessions.js";
export { type GenerateTitlesOptions, generateTitles } from "./threads/generate-titles.js";
export {
  type DefinedTool,
  defineTool,
  type NoResolveSchema,
  type ToolDefinition,
  type TypedDisplay,
  type TypedRenderProps,
} from "./tools/define.js";
export { AbortError, GloveError, type ModelFailure, type ToldFailure } from "./values/error.js";
export { generateSessionId } from "./values/ids.js";
export type {
  CallOutcome,
  ContentPart,
  Message,
  PermissionStatus,
  SideOutput,
  Source,
  Task,
  TaskStatus,
  ToolCall,
  ToolResult,
  ToolResultData,
  Usage,
} from "./wire/record.js";
export type {
  Budgets,
  Limits,
  MessageBranches,
  PromptOutput,
  PromptRecord,
  PromptText,
  PromptToolCall,
  RunEffect,
  RunFinish,
  RunInput,
  RunModelError,
  RunReply,
  RunRule,
  RunSettings,
  WhenBusy,
} from "./wire/run-types.js";
