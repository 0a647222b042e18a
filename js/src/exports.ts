// What both entries offer, whichever way the core is started.

export type { AgentDefinition } from "./agents/agent.js";
export { type AgentTask, defineAgent } from "./agents/define-agent.js";
export { type AskForOptions, askFor } from "./answers/ask-for.js";
export type { AgentParts } from "./classic/agent.js";
export { Context } from "./classic/context.js";
export { formatMessages, type OpenAIContentPart, type OpenAIMessage } from "./classic/format-messages.js";
export type { GloveConfig, GloveFoldArgs, IGloveBuilder } from "./classic/glove.js";
export { createInboxTool } from "./classic/inbox-tool.js";
export { Observer } from "./classic/observer.js";
export { PromptMachine } from "./classic/prompt-machine.js";
export type { SessionRunnable } from "./classic/session-runnable.js";
export { createTaskTool } from "./classic/task-tool.js";
export type { HandOverFunction, Tool } from "./classic/tool.js";
export { defineHook, type Hook, type HookContext, type HookResult } from "./commands/hook.js";
export { defineSkill, type Skill, type SkillContext } from "./commands/skill.js";
export {
  DisplayManager,
  type DisplayManagerAdapter,
  Displaymanager,
  type ListenerFn,
  type RejectFn,
  type Renderer,
  type Resolver,
  type ResolverFn,
  type Slot,
  type SlotRequest,
  type UnsubscribeFn,
} from "./display/manager.js";
export { AbortError, GloveError, type ModelFailure, type ToldFailure } from "./error.js";
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
export type { ModelCallOptions, ToolChoice } from "./models/call-options.js";
export type { RemotePromptResponse, RemoteStreamEvent } from "./models/collect.js";
export { createEndpointModel, type EndpointOptions } from "./models/endpoint.js";
export type { ModelFacts, ModelPrice, ModelPrices } from "./models/facts.js";
export type { Fetch } from "./models/http.js";
export type {
  ModelAdapter,
  ModelNotice,
  ModelPromptResult,
  ModelTool,
  NotifySubscribersFunction,
  PromptRequest,
  SerializedTool,
} from "./models/model.js";
export { parseSSEStream } from "./models/parse-sse.js";
export {
  type AvailableProvider,
  type CreateAdapterOptions,
  createAdapter,
  getAvailableProviders,
  type ProviderDef,
  type ProviderFormat,
  type ProviderId,
  providers,
  type ReasoningEffort,
} from "./models/providers.js";
export {
  createRemoteModel,
  type RemoteModelActions,
  type RemotePromptRequest,
} from "./models/remote.js";
export { type AnyPlugin, definePlugin, type Plugin, type PluginRound } from "./plugins/plugin.js";
export type { HasState, PluginState } from "./plugins/state.js";
export type { ExportRunOptions } from "./recording/run-file.js";
export type { GloveClientConfig, SessionOverrides } from "./session/client.js";
export type { AnswerOutcome, RunOutcome, SendMessage } from "./session/outcome.js";
export type { Prompt } from "./session/prompt.js";
export { type PromptEvent, promptEvents } from "./session/prompt-events.js";
export type { FileInput, ImageInput, MessageInput } from "./session/request.js";
export type { GloveSession, TriggerInput } from "./session/session.js";
export type { CompactionConfig, SessionConfig, SessionParts } from "./session/session-config.js";
export {
  DEFAULT_SESSION_STORAGE_KEY,
  generateSessionId,
  type PersistSessionSetting,
  type SessionStorage,
} from "./session/session-id.js";
export type { EventContext, SubscriberAdapter } from "./session/subscriber.js";
export type { SubscriberEvent, SubscriberEventDataMap, SubscriberEventOf } from "./session/subscriber-events.js";
export type {
  Approval,
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
} from "./store/adapter.js";
export { type DatabaseOptions, SessionDatabase } from "./store/indexeddb/database.js";
export { IndexedDBStore } from "./store/indexeddb/store.js";
export { MemoryStore } from "./store/memory.js";
export { permissionKey } from "./store/permissions.js";
export { createRemoteStore, type RemoteStoreActions } from "./store/remote.js";

export type { ImportOptions, SessionCatalog, SessionInfo } from "./store/sessions.js";
export {
  type DefinedTool,
  defineTool,
  type NoResolveSchema,
  type ToolDefinition,
  type TypedDisplay,
  type TypedRenderProps,
} from "./tools/define.js";
export { jsonSchema } from "./tools/json-schema.js";
export type {
  InferInput,
  InferOutput,
  Issue,
  JsonSchema,
  ParsingSchema,
  Partly,
  Schema,
  StandardSchema,
} from "./tools/schema-types.js";
export type {
  ApprovalRule,
  BuiltInChoice,
  BuiltInInfo,
  BuiltInQuestions,
  FileOutput,
  IGloveRunnable,
  SlotRenderProps,
  ToolConfig,
  ToolDisplay,
  ToolFiles,
  ToolResultRenderProps,
} from "./tools/tool.js";
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
