// Asks a person for what the flags left open.
import { cancel, confirm, intro, isCancel, select, text } from "@clack/prompts";
import { defaults, isLocal, isModelName, models, parts, partsOf, Refused, templates } from "./choices.js";
import { refuseFull } from "./folder.js";

export async function ask(given) {
  intro("A new app with glove-wasm");
  const chosen = { ...given };
  chosen.folder ??= await answered(
    text({
      message: "In which folder?",
      placeholder: defaults.folder,
      defaultValue: defaults.folder,
      validate: (folder) => whyNot(folder || defaults.folder),
    }),
  );
  chosen.template ??= await answered(
    select({
      message: "What do you make?",
      options: Object.entries(templates).map(([value, label]) => ({ value, label })),
      initialValue: defaults.template,
    }),
  );
  chosen.provider ??= await answered(
    select({
      message: "Who answers?",
      options: models.map((model) => ({ value: model.id, label: model.name, hint: hintOf(model) })),
      initialValue: defaults.provider,
    }),
  );
  const provider = models.find((model) => model.id === chosen.provider);
  if (provider && isLocal(provider)) {
    const named = (name = "") => (isModelName(name) ? undefined : "Write the name as the server lists it.");
    chosen.model ??= await answered(text({ message: `Which of ${provider.name}'s models?`, validate: named }));
  }
  for (const part of partsOf(chosen.template)) {
    chosen[part] ??= await answered(confirm({ message: `${parts[part]}?` }));
  }
  return chosen;
}

function hintOf({ id, model, envVar }) {
  if (id === defaults.provider) return "needs no key";
  return envVar ? `${model}, key in ${envVar}` : "on this machine, needs no key";
}

function whyNot(folder) {
  try {
    refuseFull(folder);
  } catch (error) {
    return error.message;
  }
}

async function answered(question) {
  const answer = await question;
  if (!isCancel(answer)) return answer;
  cancel("Stopped.");
  throw new Refused("Nothing was written.");
}
