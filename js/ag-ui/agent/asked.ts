// What an agent asks a person in the middle of a call, loaded with the first question.

export { answerOf } from "../../mcp/tools/asked.js";
