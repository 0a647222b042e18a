// `confirm`, and the run's own questions: permission, approval, an interrupted call, a budget that is used up.
import { type ReactNode, useId, useRef, useState } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { humanName } from "../parts/calls/tool-state.js";
import { useValues } from "../parts/calls/values.js";
import { type Say, useLabels } from "../render/labels.js";
import { Name } from "../text/visible.js";
import type { Weight } from "./controls.js";
import { answerLabel, type Option, options, read, type SlotProps, text } from "./props.js";
import { Held, held, Question } from "./question.js";

export function Confirm(props: SlotProps): ReactNode {
  const say = useLabels();
  const { data, status } = props;
  const given = options(data);
  // Those of a tool are equals.
  const choices = given.length > 0 ? given.map(({ label, value }) => choice(label, value, "plain")) : yesOrNo;
  return (
    <Question
      message={text(data, "message") ?? say("Please confirm.")}
      status={status}
      answer={answerLabel(props, choices)}
      actions={<Choices {...props} choices={choices} />}
    />
  );
}

type Choice = Option & {
  readonly weight?: Weight;
  /** In the words of the application, and not a label. */
  readonly named?: boolean;
  /** Only when all of what it lets run was open. */
  readonly allows?: true;
};

const choice = (label: string, value: unknown, weight?: Weight): Choice => ({ label, value, ...(weight && { weight }) });
const allow = (label: string, value: unknown, weight: Weight): Choice => ({ ...choice(label, value, weight), allows: true });
/** No answer: the question is turned down, and what asked may ask again. */
const turnDown = Symbol();
const yesOrNo = [choice("No", "no", "quiet"), choice("Yes", "yes", "go")];

/** What the run says of an interrupted call, and the sentence of its question as well, in the language of the page. */
const isSaid = /^It was interrupted while it ran,/;

/** A question of the run about a call, with an answer on each button. None has the focus, so that no Enter answers what nobody has read. */
const decision =
  (message: (data: unknown, say: Say) => ReactNode, choices: readonly Choice[], explains = false) =>
  ({ data, status, resolve, reject }: SlotProps): ReactNode => {
    const why = useRef<HTMLInputElement>(null);
    const [tells, tell] = useState(false);
    // The focus goes from the button to the field, and not where a reload brings back what was written.
    const pressed = useRef(false);
    useBrowserLayoutEffect(() => {
      if (tells && pressed.current) why.current?.focus();
    }, [tells]);
    const say = useLabels();
    const { values, folded } = useValues(read(data, "toolInput"));
    // The model's description of a tool takes the place of a sentence that nobody has written for a person.
    const reason = text(data, "reason") ?? (text(data, "confirm") === undefined ? text(data, "description") : undefined);
    const deny = () => reject(why.current?.value || undefined);
    const isDanger = read(data, "danger") === true;
    const act = actOf(data);
    const shown = choices.map((one) => ({
      ...one,
      ...(one.label === "Allow" && act !== undefined && { label: act, named: true }),
      ...(isDanger && one.weight === "go" && { weight: "danger" as const }),
    }));
    return (
      <Question
        decides
        message={message(data, say)}
        status={status}
        actions={
          <>
            <Choices choices={shown} folded={folded} resolve={resolve} reject={explains ? deny : () => reject()} />
            {explains && !tells && (
              <button
                type="button"
                data-glove-weight="link"
                aria-expanded={false}
                onClick={() => {
                  pressed.current = true;
                  tell(true);
                }}
              >
                {say("Say why not")}
              </button>
            )}
          </>
        }
      >
        {reason !== undefined && !isSaid.test(reason) && (
          <p data-glove-reason="">
            <Name of={reason} lines />
          </p>
        )}
        {read(data, "away") === true && status === "pending" && (
          <p data-glove-reason="">{say("The part of the page that does this is not open here.")}</p>
        )}
        {values}
        {explains && (
          <input
            ref={why}
            hidden={!tells}
            onInput={() => tell(true)}
            aria-label={say("Reason, if you deny")}
            placeholder={say("Reason, if you deny")}
            data-glove-optional=""
          />
        )}
      </Question>
    );
  };

export const ApprovalRequest = /* @__PURE__ */ decision(
  ask,
  [choice("Deny", turnDown, "quiet"), allow("Allow", true, "go")],
  true,
);
export const PermissionRequest = /* @__PURE__ */ decision(
  ask,
  [
    choice("Deny", turnDown, "quiet"),
    allow("Allow once", "once", "go"),
    allow("Always allow", true, "link"),
    choice("Never allow", false, "link"),
  ],
  true,
);
export const InterruptedCall = /* @__PURE__ */ decision(
  (data, say) => {
    const [before, after] = say("{name} was interrupted, and may have taken effect. Run it again?").split("{name}");
    return (
      <>
        {before}
        <Name of={title(data, say)} />
        {after}
      </>
    );
  },
  // It may do harm twice.
  [choice("Don't run", false, "quiet"), allow("Run again", true, "danger")],
);
export const BudgetReached = /* @__PURE__ */ decision(
  (_, say) => say("This conversation has reached a limit. Continue?"),
  [choice("Stop", false, "quiet"), choice("Continue", true, "go")],
);

interface ChoicesProps extends Pick<SlotProps, "resolve" | "reject"> {
  readonly choices: readonly Choice[];
  readonly folded?: boolean;
}

function Choices({ choices, folded = false, resolve, reject }: ChoicesProps): ReactNode {
  const say = useLabels();
  const id = useId();
  return (
    <>
      {choices.map(({ label, value, weight, allows, named }) => (
        <button
          key={label}
          type="button"
          data-glove-weight={weight}
          {...(allows && held(folded, id))}
          onClick={() => (value === turnDown ? reject() : resolve(value))}
        >
          <Name of={named ? label : say(label)} />
        </button>
      ))}
      {folded && <Held id={id} />}
    </>
  );
}

/** What the call does, as the tool says it, or else by the tool's name. */
const title = (data: unknown, say: Say) => {
  const name = text(data, "toolName");
  return text(data, "title") ?? (name === undefined ? say("This tool") : humanName(name));
};

/** In the words of the tool, or "Restart Checkout?" */
function ask(data: unknown, say: Say): string {
  return text(data, "confirm") ?? `${title(data, say).replace(/[.?!…\s]+$/, "")}?`;
}

/** What the button that goes on is named by: a few plain words, and never some that turn down. */
function actOf(data: unknown): string | undefined {
  const act = text(data, "act") ?? "";
  return /^\p{L}[\p{L}\p{M}\p{N} '’-]{1,23}$/u.test(act) ? act : undefined;
}
