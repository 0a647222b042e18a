// What tests of applications use: a model that answers from a script, and what every store has to pass.

export {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedTurn,
} from "../src/models/scripted.js";
export {
  type ConformanceCase,
  type ConformanceRunner,
  type ConformanceSubject,
  storeConformance,
} from "./conformance/index.js";
