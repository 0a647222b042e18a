// A key that a person brings: it is kept for this tab, and goes to the frame that asks its provider.
const name = "site-key";

export interface Key {
  readonly provider: string;
  readonly apiKey: string;
}

/** Those whose interfaces may be asked from pages. `frame` allows their hosts and no other. */
const providers: Readonly<Record<string, string>> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  gemini: "Google Gemini",
};

export function storedKey(): Key | undefined {
  try {
    const { provider, apiKey } = JSON.parse(sessionStorage.getItem(name) ?? "") as Key;
    return provider && apiKey ? { provider, apiKey } : undefined;
  } catch {
    return undefined;
  }
}

export const modelName = () => {
  const key = storedKey();
  return key ? `Answered by ${providers[key.provider] ?? key.provider}, with your key` : "Answered by a script, without a key";
};

/** Asks for a key, or takes it away. */
export function askForKey(changed: () => void): void {
  const dialog = document.createElement("dialog");
  dialog.className = "key";
  dialog.innerHTML = `<form method="dialog"><h2>A model of your own</h2>
<p>The key is kept for this tab only. It is given to the frame with the example, whose policy lets it ask providers and nobody else. Use a key with a limit.</p>
<label>Provider <select name="provider"></select></label>
<label>Key <input name="apiKey" type="password" autocomplete="off" spellcheck="false" /></label>
<p class="actions"><button type="button" value="cancel">Cancel</button><button type="button" value="none">Use the script</button><button type="submit" value="key" class="go">Use this key</button></p></form>`;
  dialog.setAttribute("aria-label", "A model of your own");
  const form = dialog.querySelector("form") as HTMLFormElement;
  const [select, input] = [form.querySelector("select") as HTMLSelectElement, form.querySelector("input") as HTMLInputElement];
  for (const [id, word] of Object.entries(providers)) select.add(new Option(word, id));
  select.value = storedKey()?.provider ?? "anthropic";
  // Enter in the field takes the key: the other buttons send nothing.
  for (const button of form.querySelectorAll<HTMLButtonElement>("button[type=button]"))
    button.addEventListener("click", () => dialog.close(button.value));
  dialog.addEventListener("close", () => {
    const apiKey = input.value.trim();
    if (dialog.returnValue === "none") sessionStorage.removeItem(name);
    if (dialog.returnValue === "key" && apiKey) sessionStorage.setItem(name, JSON.stringify({ provider: select.value, apiKey }));
    dialog.remove();
    changed();
  });
  document.body.append(dialog);
  dialog.showModal();
}
