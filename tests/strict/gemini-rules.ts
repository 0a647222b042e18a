// Gemini's generateContent: what no schema says.
import { geminiType, isBase64 } from "./media-rules.js";
import { toolRules } from "./tool-rules.js";
import type { Body, Judged } from "./types.js";

export function geminiRules(judged: Judged): void {
  const { body, add, model } = judged;
  const declared = (body.tools ?? []).flatMap((tool: Body) => tool.functionDeclarations);
  toolRules(
    judged,
    declared.map(({ name, parametersJsonSchema, parameters }: Body, at: number) => ({
      ...{ name, schema: parametersJsonSchema ?? parameters },
      at: `/tools/0/functionDeclarations/${at}/parametersJsonSchema`,
    })),
  );
  const calling = body.toolConfig?.functionCallingConfig;
  if (body.toolConfig && !body.tools)
    add("tools.option-alone", "/toolConfig", "Function calling config is set without function_declarations.");
  if (calling?.allowedFunctionNames && calling.mode !== "ANY" && calling.mode !== "VALIDATED") {
    add("gemini.allowed-mode", "/toolConfig", "Allowed function names should only be set when function calling mode is ANY.");
  }
  for (const name of calling?.allowedFunctionNames ?? []) {
    if (!declared.some((tool: Body) => tool.name === name))
      add("tools.choice-known", "/toolConfig", `Allowed function name ${name} is not declared.`);
  }
  for (const [at, { text }] of (body.systemInstruction?.parts ?? []).entries()) {
    if (text.trim() === "") add("text.blank", `/systemInstruction/parts/${at}`, "system_instruction.parts must not be empty.");
  }
  const { responseMimeType, responseJsonSchema, responseSchema } = body.generationConfig ?? {};
  if ((responseJsonSchema || responseSchema) && responseMimeType !== "application/json") {
    add("format.mime", "/generationConfig/responseMimeType", "A response schema needs the response mime type: application/json.");
  }
  contents(judged);
  if (/gemini-(3|[4-9])/.test(model)) signatures(judged);
}

function contents(judged: Judged): void {
  const { body, add } = judged;
  const list: Body[] = body.contents;
  let waiting: string[] = [];
  for (const [at, { role, parts }] of list.entries()) {
    const where = `/contents/${at}`;
    if (role === list[at - 1]?.role)
      add("chat.alternate", where, "Please ensure that multiturn requests alternate between user and model.");
    const made = parts.filter((part: Body) => part.functionCall).map((part: Body) => part.functionCall);
    const given = parts.filter((part: Body) => part.functionResponse).map((part: Body) => part.functionResponse);
    if (role === "user" && made.length) add("gemini.roles", where, "A function call comes from the model.");
    if (role === "model" && given.length) add("gemini.roles", where, "A function response comes from the user.");
    if (waiting.length || given.length) {
      const names = given.map(({ name }: Body) => name);
      if (names.length !== waiting.length) {
        add(
          names.length < waiting.length ? "calls.answered" : "calls.known",
          where,
          "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
        );
      } else if ([...names].sort().join() !== [...waiting].sort().join()) {
        add("calls.known", where, "Please ensure that function responses have the names of the function calls.");
      }
    }
    waiting = made.map(({ name }: Body) => name);
    if (made.length && at === 0)
      add(
        "gemini.roles",
        where,
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    for (const [index, part] of parts.entries()) one(judged, `${where}/parts/${index}`, part);
  }
  if (waiting.length)
    add("calls.answered", "/contents", "Please ensure that function call turns are followed by function responses.");
}

function one(judged: Judged, at: string, part: Body): void {
  const { add } = judged;
  if (typeof part.text === "string" && part.text.trim() === "" && !part.thoughtSignature)
    add("text.blank", at, "Unable to submit request because it must have a text parameter.");
  if (part.inlineData) {
    geminiType(judged, `${at}/inlineData/mimeType`, part.inlineData.mimeType);
    if (!isBase64(part.inlineData.data))
      add("media.base64", `${at}/inlineData/data`, "Invalid value at 'inline_data.data' (TYPE_BYTES), Base64 decoding failed.");
  }
  if (part.fileData) {
    if (part.fileData.mimeType) geminiType(judged, `${at}/fileData/mimeType`, part.fileData.mimeType);
    if (!/^(https?|gs):\/\//.test(part.fileData.fileUri)) add("media.url", `${at}/fileData/fileUri`, "Unsupported file URI.");
  }
  if (part.thoughtSignature && !isBase64(part.thoughtSignature)) {
    add(
      "gemini.signature-form",
      `${at}/thoughtSignature`,
      "Invalid value at 'thought_signature' (TYPE_BYTES), Base64 decoding failed.",
    );
  }
}

/** Of each step of the turn that goes on, the first call has its signature. */
function signatures({ body, add }: Judged): void {
  const list: Body[] = body.contents;
  const turn = list.findLastIndex(({ role, parts }) => role === "user" && parts.some((part: Body) => !part.functionResponse));
  for (const [at, { role, parts }] of list.entries()) {
    if (at < turn || role !== "model") continue;
    const index = parts.findIndex((part: Body) => part.functionCall);
    if (index >= 0 && !parts[index].thoughtSignature) {
      add(
        "gemini.signature",
        `/contents/${at}/parts/${index}`,
        `Function call is missing a thought_signature in functionCall parts. Function call \`${parts[index].functionCall.name}\`, position ${index}.`,
      );
    }
  }
}
