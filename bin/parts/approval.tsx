// What a person allows or denies before a tool runs. They see every argument, whole, and what they allow is exactly what runs.
import type { SlotProps } from "glove-wasm/react";
import { type ReactNode, useId, useState } from "react";

interface Asked {
  readonly toolName?: string;
  readonly toolInput?: unknown;
  readonly title?: string;
  readonly confirm?: string;
  readonly reason?: string;
  readonly act?: string;
  readonly danger?: boolean;
  readonly away?: boolean;
}

/** Characters that nobody sees, or that turn a text around, stand as escapes: an argument is the word of a model. */
const visible = (text: string) =>
  text.replace(
    /(?!\n)[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|(?! )\p{Zs}/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );

const asText = (value: unknown) => visible(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value)));

const base =
  "inline-flex h-9 items-center rounded-md px-4 text-sm font-medium focus-visible:outline-2 focus-visible:outline-offset-2";
const looks = {
  quiet: `${base} border border-input hover:bg-muted`,
  go: `${base} bg-primary text-primary-foreground hover:bg-primary/90`,
  danger: `${base} bg-red-700 text-white hover:bg-red-800`,
};

interface Choice {
  readonly label: string;
  readonly look: keyof typeof looks;
  readonly answer: (props: SlotProps, reason?: string) => void;
}

const deny: Choice = { label: "Deny", look: "quiet", answer: ({ reject }, reason) => reject(reason) };
const answer = (label: string, value: unknown, look: Choice["look"]): Choice => ({
  label,
  look,
  answer: ({ resolve }) => void resolve(value),
});

const decision = (choices: readonly Choice[], sentence?: (name: string) => string) =>
  function Decision(props: SlotProps): ReactNode {
    const id = useId();
    const [why, setWhy] = useState("");
    const { toolName = "this tool", toolInput, title, confirm, reason, act, danger, away } = (props.data ?? {}) as Asked;
    const question = visible(sentence?.(title ?? toolName) ?? confirm ?? `${title ?? toolName}?`);
    if (props.status !== "pending") {
      return (
        <p className="text-sm text-muted-foreground">
          {question} {props.status === "resolved" ? "Answered" : "Declined"}
        </p>
      );
    }
    const isFilled = typeof toolInput === "object" && toolInput !== null;
    const rows = isFilled ? Object.entries(toolInput) : toolInput === undefined ? [] : [["Input", toolInput] as const];
    return (
      <form
        aria-labelledby={id}
        data-glove-question=""
        tabIndex={-1}
        className="flex flex-col gap-3 outline-none"
        onSubmit={(event) => event.preventDefault()}
      >
        <p id={id} className="font-semibold">
          {question}
        </p>
        {reason && <p className="text-sm whitespace-pre-wrap text-muted-foreground">{visible(reason)}</p>}
        {away && <p className="text-sm text-muted-foreground">The part of the page that does this is not open here.</p>}
        <dl className="grid grid-cols-[minmax(5rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
          {rows.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted-foreground">{visible(name)}</dt>
              <dd dir="ltr" className="font-mono break-words whitespace-pre-wrap">
                {asText(value)}
              </dd>
            </div>
          ))}
        </dl>
        {choices.includes(deny) && (
          <input
            aria-label="Why not? (optional)"
            placeholder="Why not? (optional)"
            className="h-9 rounded-md border border-input bg-background px-3 text-sm placeholder:text-muted-foreground"
            value={why}
            onChange={({ target }) => setWhy(target.value)}
          />
        )}
        {props.error && (
          <p role="alert" className="text-sm text-destructive">
            {props.error}
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {choices.map((choice) => (
            <button
              key={choice.label}
              type="button"
              className={looks[danger && choice.look === "go" ? "danger" : choice.look]}
              onClick={() => choice.answer(props, why || undefined)}
            >
              {choice.label === "Allow" && act ? visible(act) : choice.label}
            </button>
          ))}
        </div>
      </form>
    );
  };

const again = (name: string) => `${name} was interrupted, and may have taken effect. Run it again?`;

/** For `renderers` of the provider. */
export const approvals = {
  approval_request: decision([deny, answer("Allow", true, "go")]),
  permission_request: decision([
    deny,
    answer("Never allow", false, "quiet"),
    answer("Always allow", true, "quiet"),
    answer("Allow once", "once", "go"),
  ]),
  interrupted_call: decision([answer("Don't run", false, "quiet"), answer("Run again", true, "danger")], again),
  budget_reached: decision(
    [answer("Stop", false, "quiet"), answer("Continue", true, "go")],
    () => "This conversation has reached a limit. Continue?",
  ),
};
