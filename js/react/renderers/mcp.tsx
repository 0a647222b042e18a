// What servers of MCP ask: a form, an address to open, and that somebody signs in. Loaded with the first of them.
import { type ReactNode, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { type SignInQuestion, signInFor } from "../../mcp/auth/registry.js";
import type { SignIn } from "../../mcp/auth/sign-in-port.js";
import type { SamplingQuestion } from "../../mcp/sampling.js";
import type { SaidMedia } from "../../mcp/sampling-request.js";
import type { LinkQuestion } from "../../mcp/tools/asked.js";
import { type FormContent, type FormField, type FormQuestion, fieldsOf } from "../../mcp/tools/form.js";
import { reasonOf } from "../../src/values/error.js";
import { useValues } from "../parts/calls/values.js";
import { useLabels } from "../render/labels.js";
import { Name } from "../text/visible.js";
import { read, type SlotProps } from "./props.js";
import { Held, held, Question } from "./question.js";

/** A form of a server, with a field for each of its properties. */
export function McpForm({ data, status, answer, resolve }: SlotProps): ReactNode {
  const say = useLabels();
  const { server = "", message = "", schema = {}, content, issues = [] } = data as Partial<FormQuestion>;
  const fields = fieldsOf(schema);
  const faultOf = ({ name }: FormField) => issues.find(({ path: [of] }) => of === name)?.message;
  return (
    <Question
      message={say('The server "{server}" asks: {message}', { server, message })}
      status={status}
      answer={read(answer, "action") === "accept" ? given(fields, read(answer, "content")) : say("Declined")}
      onSubmit={(form) => resolve({ action: "accept", content: contentOf(form, fields) })}
      actions={
        <>
          <Decline resolve={resolve} />
          <button type="submit">{say(fields.length > 0 ? "Answer" : "OK")}</button>
        </>
      }
    >
      {fields.map((field) => (
        <Field key={field.name} field={field} before={content} fault={faultOf(field)} />
      ))}
    </Question>
  );
}

/** An address that a server asks a person to open: all of it is shown. */
export function McpLink({ data, status, answer, resolve }: SlotProps): ReactNode {
  const say = useLabels();
  const { server = "", message = "", url = "" } = data as Partial<LinkQuestion>;
  const host = hostOf(url);
  return (
    <Question
      message={say('The server "{server}" asks you to open an address of {host}: {message}', { server, host, message })}
      status={status}
      answer={say(read(answer, "action") === "accept" ? "Done" : "Declined")}
      onSubmit={() => resolve({ action: "accept" })}
      actions={
        <>
          <Decline resolve={resolve} />
          <button type="submit">{say("Done")}</button>
        </>
      }
    >
      <p>
        <a href={url} target="_blank" rel="noopener noreferrer">
          <Name of={url} />
        </a>
      </p>
    </Question>
  );
}

/** In milliseconds: two such questions stand in one place, and the second press of a double one was meant for the first. */
const unread = 800;

/** A server asks the application's model, or is to get what that has said: nothing is allowed before all of it is shown. */
export function McpSampling({ data, status, answer, resolve }: SlotProps): ReactNode {
  const say = useLabels();
  const id = useId();
  const { server = "", step, messages = [] } = data as Partial<SamplingQuestion>;
  const { values, folded } = useValues(useMemo(() => wordsOf(data as Partial<SamplingQuestion>), [data]));
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), unread);
    return () => clearTimeout(timer);
  }, []);
  const message =
    step === "give"
      ? say('This is what the server "{server}" gets from your model:', { server })
      : say('The server "{server}" wants to ask your model this:', { server });
  return (
    <Question
      message={message}
      status={status}
      answer={say(read(answer, "action") === "accept" ? "Done" : "Declined")}
      // A form is also sent by Enter.
      onSubmit={() => isSeen && !folded && resolve({ action: "accept" })}
      actions={
        <>
          <Decline resolve={resolve} />
          <button type="submit" disabled={!isSeen} {...held(folded, id)}>
            {say("Allow")}
          </button>
          {folded && <Held id={id} />}
        </>
      }
    >
      {values}
      {messages
        .flatMap(({ media = [] }) => media)
        .map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
          <Media key={at} {...one} />
        ))}
    </Question>
  );
}

/** What is sent is seen, or heard, before it is allowed. */
function Media({ type, data }: SaidMedia): ReactNode {
  const source = `data:${type};base64,${data}`;
  if (type.startsWith("image/")) return <img src={source} alt={type} style={{ maxWidth: "100%" }} />;
  // biome-ignore lint/a11y/useMediaCaption: nobody has written any for it.
  return <audio src={source} controls aria-label={type} />;
}

/** Who says what, in its order, and the tools that the model may call; of what the server gets, the words alone. */
function wordsOf({ step, system, messages = [], tools }: Partial<SamplingQuestion>): unknown {
  if (step === "give" && messages.every(({ calls }) => !calls)) return messages.map(({ text }) => text).join("\n\n");
  const said = messages.map(({ by, text, calls, results }, at) => {
    const words = calls || results ? { ...(text && { text }), calls, results } : text;
    return [step === "give" ? by : `${at + 1} ${by}`, words];
  });
  return Object.fromEntries([...(system ? [["system", system]] : []), ...said, ...(tools ? [["tools", tools]] : [])]);
}

/** A server wants somebody to sign in. Whoever has signed in, in whichever tab, has answered it. */
export function McpSignIn({ data, status, resolve, reject }: SlotProps): ReactNode {
  const say = useLabels();
  const pending = status === "pending";
  const { server = "", url = "" } = data as Partial<SignInQuestion>;
  const { signIn, missing } = useSignIn(data as Partial<SignInQuestion>, pending);
  const state = useSyncExternalStore(signIn?.subscribe ?? never, () => signIn?.state, none);
  const [blocked, setBlocked] = useState(false);
  const answered = useRef(false);
  const isSignedIn = state?.state === "signed-in";
  useEffect(() => {
    if (!pending || !isSignedIn || answered.current) return;
    answered.current = true;
    resolve("signed in");
  }, [pending, isSignedIn, resolve]);
  const begin = () => {
    // What goes wrong is in its state.
    signIn?.begin(blocked ? "redirect" : undefined).then(
      (begun) => setBlocked(begun === "blocked"),
      () => {},
    );
  };
  const failed = state?.state === "failed" ? reasonOf(state.error) : undefined;
  return (
    <Question
      message={say('The server "{server}" ({host}) wants you to sign in.', { server, host: hostOf(url) })}
      status={status}
      answer={say("Signed in")}
      error={missing ? say("This page knows no such server. Reload it, and try again.") : failed}
      onSubmit={begin}
      actions={
        <>
          <button type="button" data-glove-weight="quiet" onClick={() => reject()}>
            {say("Cancel")}
          </button>
          <button type="submit" disabled={!signIn}>
            {say(blocked ? "Sign in on this page" : "Sign in")}
          </button>
        </>
      }
    >
      {blocked ? (
        <p role="status">{say("Your browser blocks the window. The page can be left for it; the conversation waits.")}</p>
      ) : (
        state?.state === "begun" && <p role="status">{say("Sign in in the window that has opened.")}</p>
      )}
    </Question>
  );
}

/** `missing`: this page has made no such server, or cannot load what signs in. */
function useSignIn({ server, url, user }: Partial<SignInQuestion>, pending: boolean) {
  const [found, setFound] = useState<{ readonly signIn?: SignIn; readonly missing?: true }>({});
  useEffect(() => {
    if (!pending) return;
    let isOver = false;
    const finding = signInFor({ server, url, user }) ?? Promise.reject();
    finding.then(
      (signIn) => {
        if (isOver) return;
        setFound({ signIn });
        void signIn.look();
      },
      () => isOver || setFound({ missing: true }),
    );
    return () => {
      isOver = true;
    };
  }, [server, url, user, pending]);
  return found;
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : "");

const never = () => () => {};
const none = () => undefined;

function Decline({ resolve }: Pick<SlotProps, "resolve">): ReactNode {
  const say = useLabels();
  return (
    <button type="button" data-glove-weight="quiet" onClick={() => resolve({ action: "decline" })}>
      {say("Decline")}
    </button>
  );
}

// ---- the fields of a form ------------------------------------------------------------------------------------------

interface FieldProps {
  readonly field: FormField;
  /** What was filled in before. */
  readonly before: FormContent | undefined;
  readonly fault: string | undefined;
}

function Field({ field, before, fault }: FieldProps): ReactNode {
  const id = useId();
  const { name, label, description, kind, required } = field;
  const value = before && Object.hasOwn(before, name) ? before[name] : before ? undefined : field.default;
  const about = [description !== undefined && `${id}-about`, fault !== undefined && `${id}-fault`].filter(Boolean).join(" ");
  const aria = { ...(about && { "aria-describedby": about }), ...(fault !== undefined && { "aria-invalid": true }) };
  const below = (
    <>
      {description !== undefined && (
        <small id={`${id}-about`}>
          <Name of={description} lines />
        </small>
      )}
      {fault !== undefined && (
        <p role="alert" id={`${id}-fault`} data-glove-error="">
          <Name of={fault} />
        </p>
      )}
    </>
  );
  if (kind === "many" || (kind === "one" && required && field.choices.length <= mostRadios))
    return (
      <fieldset {...aria}>
        <legend>
          <Name of={label} />
        </legend>
        <Choices field={field} value={value} />
        {below}
      </fieldset>
    );
  if (kind === "flag")
    return (
      <div>
        <label>
          <input type="checkbox" name={name} defaultChecked={value === true} {...aria} /> <Name of={label} />
        </label>
        {below}
      </div>
    );
  return (
    <div>
      <label htmlFor={id}>
        <Name of={label} />
      </label>
      {kind === "one" ? (
        <select id={id} name={name} required={required} defaultValue={textOf(value)} {...aria}>
          <option value="" />
          {field.choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      ) : (
        <input id={id} name={name} required={required} {...limitsOf(field)} defaultValue={shown(value, field)} {...aria} />
      )}
      {below}
    </div>
  );
}

/** Where there are more, they are a list to open. */
const mostRadios = 6;

function Choices({ field: { name, kind, choices, required }, value }: { field: FormField; value: unknown }): ReactNode {
  const isChosen = (choice: string) => (kind === "many" ? Array.isArray(value) && value.includes(choice) : value === choice);
  return choices.map(({ label, value: choice }) => (
    <label key={choice}>
      <input
        type={kind === "many" ? "checkbox" : "radio"}
        name={name}
        value={choice}
        required={kind === "one" && required}
        defaultChecked={isChosen(choice)}
      />{" "}
      <Name of={label} />
    </label>
  ));
}

function limitsOf({ type, schema }: FormField) {
  const { minimum: min, maximum: max, minLength, maxLength } = schema;
  const size = (count: unknown) => (Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined);
  if (type === "number") return { type, min, max, step: schema.type === "integer" ? 1 : "any" };
  return { type, minLength: size(minLength), maxLength: size(maxLength) };
}

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

/** A field shows the time of the place where the person is. */
function shown(value: unknown, { type }: FormField): string {
  if (type !== "datetime-local" || Number.isNaN(Date.parse(textOf(value)))) return textOf(value);
  const at = new Date(textOf(value));
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function contentOf(form: HTMLFormElement, fields: readonly FormField[]): FormContent {
  const data = new FormData(form);
  const entries = fields.flatMap(({ name, kind, type, required }): [string, FormContent[string]][] => {
    if (kind === "flag") return [[name, data.has(name)]];
    if (kind === "many") {
      const chosen = data.getAll(name).map(String);
      return chosen.length > 0 || required ? [[name, chosen]] : [];
    }
    const value = String(data.get(name) ?? "");
    if (value === "") return [];
    if (kind === "number") return [[name, Number(value)]];
    return [[name, type === "datetime-local" ? new Date(value).toISOString() : value]];
  });
  return Object.fromEntries(entries);
}

/** What was answered, in the words of the form. */
function given(fields: readonly FormField[], content: unknown): string | undefined {
  const parts = fields.flatMap(({ name, label, choices }) => {
    const value = read(content, name);
    if (value === undefined) return [];
    const words = [value].flat().map((one) => choices.find((choice) => choice.value === one)?.label ?? String(one));
    return [`${label}: ${words.join(", ")}`];
  });
  return parts.join("\n") || undefined;
}
