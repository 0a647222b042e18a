// What tests of applications use: a model that answers from a script.
export {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedTurn,
} from "../src/models/scripted.js";
