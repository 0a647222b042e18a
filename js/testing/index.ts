// What tests of applications use: a model that answers from a script, what every store has to pass, and a core that breaks.

export {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedTurn,
} from "../src/models/scripted.js";
export { breakCore } from "./break-core.js";
export {
  type ConformanceCase,
  type ConformanceRunner,
  type ConformanceSubject,
  storeConformance,
} from "./conformance/index.js";
export { type ReplayedRun, replay } from "./replay.js";
