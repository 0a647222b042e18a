// Chooses the model: the script, an endpoint, a key of one's own, or one that runs on this machine.
import { type ProviderId, providers } from "glove-wasm";
import { type FormEvent, useId, useRef, useState } from "react";
import { builtIn, useBuiltInAvailability, useDownload } from "./built-in.js";
import { type Choice, choose, describe, endpoint, useChoice } from "./choice.js";

const own = ["anthropic", "openai", "openrouter", "gemini"] as const;
const local = ["ollama", "lmstudio"] as const;

export function ModelSwitch() {
  const choice = useChoice();
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const id = useId();
  const show = () => {
    setOpen(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" className="model" onClick={show}>
        <span className="quiet">Model</span> {describe(choice)}
      </button>
      <dialog ref={dialog} aria-labelledby={id} className="models" onClose={() => setOpen(false)}>
        <h2 id={id}>Who answers?</h2>
        {/* A new form each time, so that nothing typed and not used stays in it. */}
        {open && <ModelForm choice={choice} close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function ModelForm({ choice, close }: { choice: Choice; close: () => void }) {
  const [kind, setKind] = useState(choice.kind);
  const [problem, setProblem] = useState("");
  const builtInIs = useBuiltInAvailability();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const field = (name: string) => String(form.get(name) ?? "").trim();
    const provider = field("provider") as ProviderId;
    if (kind === "key") choose({ kind, provider, model: field("model"), apiKey: field("apiKey") });
    else if (kind === "local") choose({ kind, provider, model: field("model") });
    else if (kind === "built-in") {
      // Browsers want a click behind a download; so it begins here, and not with the first message.
      const failed = await builtIn.load().then(() => undefined, reasonOf);
      if (failed) return setProblem(failed);
      choose({ kind });
    } else choose({ kind });
    close();
  };
  const option = (value: Choice["kind"], name: string, about: string) => (
    <label className="option">
      <input type="radio" name="kind" value={value} checked={kind === value} onChange={() => setKind(value)} />
      <span>
        <strong>{name}</strong>
        <span className="quiet">{about}</span>
      </span>
    </label>
  );
  return (
    <form onSubmit={submit} autoComplete="off">
      <fieldset>
        <legend className="heard">Model</legend>
        {option("scripted", "A script in this page", "No key, no network. It drives the real tools by what you type.")}
        {endpoint && option("endpoint", endpoint.model, `Behind /api/chat on this server; its key stays there.`)}
        {option("key", "A provider, with your own key", "Anthropic, OpenAI, OpenRouter or Gemini, straight from this tab.")}
        {kind === "key" && <OwnKey />}
        {option("local", "A model on this machine", "Ollama or LM Studio on localhost.")}
        {kind === "local" && <Local />}
        {builtInIs !== "unavailable" && option("built-in", "The browser's own model", abilities[builtInIs])}
        {kind === "built-in" && <Download />}
      </fieldset>
      {problem && <p role="alert">{problem}</p>}
      <div className="dialog-actions">
        <button type="submit" className="primary">
          Use it
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

const abilities = {
  available: "On this machine already: no key, no network.",
  downloadable: "No key; the browser downloads it first.",
  downloading: "No key; the browser is downloading it.",
};

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function Download() {
  const loaded = useDownload();
  if (loaded === undefined) return null;
  return (
    <label className="details">
      Download
      <progress max={1} value={loaded} />
    </label>
  );
}

function OwnKey() {
  const [provider, setProvider] = useState<string>(own[0]);
  return (
    <div className="details">
      <Provider ids={own} provider={provider} choose={setProvider} />
      <ModelName key={provider} provider={provider} />
      <label>
        Key
        <input name="apiKey" type="password" required autoComplete="off" spellCheck={false} />
      </label>
      <label className="agree">
        <input type="checkbox" required /> A key in a page can be read by every script in it. Mine is kept in this tab until it is
        closed, and goes to {providers[provider]?.name} only.
      </label>
    </div>
  );
}

function Local() {
  const [provider, setProvider] = useState<string>(local[0]);
  return (
    <div className="details">
      <Provider ids={local} provider={provider} choose={setProvider} />
      <ModelName key={provider} provider={provider} />
      <p className="fine">
        It must allow this page to ask: <code>OLLAMA_ORIGINS={location.origin}</code>, or “Enable CORS” in LM Studio.
      </p>
    </div>
  );
}

interface ProviderProps {
  readonly ids: readonly string[];
  readonly provider: string;
  readonly choose: (provider: string) => void;
}

function Provider({ ids, provider, choose }: ProviderProps) {
  return (
    <label>
      Provider
      <select name="provider" value={provider} onChange={(event) => choose(event.target.value)}>
        {ids.map((id) => (
          <option key={id} value={id}>
            {providers[id]?.name}
          </option>
        ))}
      </select>
    </label>
  );
}

function ModelName({ provider }: { provider: string }) {
  const id = useId();
  const { defaultModel = "", models = [] } = providers[provider] ?? {};
  return (
    <label>
      Model
      <input name="model" required list={id} defaultValue={defaultModel} placeholder="Its name" spellCheck={false} />
      <datalist id={id}>
        {models.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
