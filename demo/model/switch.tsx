// Chooses the model: the script, an endpoint, a key of one's own, or one that runs on this machine.
import { type ProviderId, providers } from "glove-wasm";
import { type FormEvent, useId, useRef, useState } from "react";
import { Icon } from "../chat/icons.js";
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
        <span>
          <span className="heard">Model: </span>
          {describe(choice)}
        </span>
        <Icon name="choose" />
      </button>
      <dialog ref={dialog} aria-labelledby={id} className="models" onClose={() => setOpen(false)}>
        <h2 id={id}>Choose a model</h2>
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
        {option("scripted", "Demo replies", "No API key, no network. A script answers; the tools are real.")}
        {endpoint && option("endpoint", endpoint.model, "From this server. Its API key stays there.")}
        {option("key", "Your own API key", "Anthropic, OpenAI, OpenRouter or Gemini, called from this tab.")}
        {kind === "key" && <OwnKey />}
        {option("local", "A model on this computer", "Ollama or LM Studio.")}
        {kind === "local" && <Local />}
        {builtInIs !== "unavailable" && option("built-in", "The browser's own model", abilities[builtInIs])}
        {kind === "built-in" && <Download />}
      </fieldset>
      {problem && <p role="alert">{problem}</p>}
      <div className="dialog-actions">
        <button type="submit" className="primary">
          Use this model
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

const abilities = {
  available: "Ready on this computer: no API key, no network.",
  downloadable: "No API key. The browser downloads it first.",
  downloading: "No API key. The browser is downloading it.",
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
        <input type="checkbox" required /> I understand that any script on this page could read my key. It stays in this tab until
        I close it, and is sent to {providers[provider]?.name} only.
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
        Allow this page to call it: set <code>OLLAMA_ORIGINS={location.origin}</code>, or turn on “Enable CORS” in LM Studio.
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
      <input name="model" required list={id} defaultValue={defaultModel} placeholder="Model name" spellCheck={false} />
      <datalist id={id}>
        {models.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
