// Everything that happened, the newest first.
import { type ReactNode, useId, useMemo, useState } from "react";
import { useLabels } from "../../react/render/labels.js";
import { Name, Visible } from "../../react/text/visible.js";
import type { TaskEvent, TaskPlan } from "../../src/wire/task-types.js";
import { eventText } from "./labels.js";
import { Section } from "./parts.js";

/** So many are shown, and so many more with each press of the button. */
const piece = 60;

const failed = new Set(["error", "verify.fail", "plan.denied"]);
const good = new Set(["verify.pass", "plan.approved", "finish"]);

export function Activity({
  events,
  plan,
}: {
  readonly events: readonly TaskEvent[];
  readonly plan: TaskPlan | undefined;
}): ReactNode {
  const say = useLabels();
  const id = useId();
  const [shown, setShown] = useState(piece);
  // A call says it all with its result, unless it still runs.
  const kept = useMemo(() => {
    const over = new Set(events.flatMap(({ type, data }) => (type === "tool.result" ? [Object(data).call_id as string] : [])));
    return events.filter(({ type, data }) => type !== "tool.call" || !over.has(Object(data).call_id));
  }, [events]);
  if (kept.length === 0) return null;
  return (
    <Section id={id} title={say("Activity")}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard. */}
      <div data-glove-activity="" tabIndex={0}>
        <ol>
          {kept
            .slice(-shown)
            .reverse()
            .map((event) => (
              <Entry key={event.id} event={event} plan={plan} />
            ))}
        </ol>
        {kept.length > shown && (
          <button type="button" data-glove-more="" onClick={() => setShown(shown + piece)}>
            {say("Show earlier")}
          </button>
        )}
      </div>
    </Section>
  );
}

function Entry({ event, plan }: { readonly event: TaskEvent; readonly plan: TaskPlan | undefined }): ReactNode {
  const say = useLabels();
  const [text, more] = eventText(event, say, plan);
  const at = new Date(event.timestamp);
  const bad = failed.has(event.type) || Boolean(event.error);
  return (
    <li data-tone={bad ? "failed" : good.has(event.type) ? "done" : undefined}>
      <time dateTime={at.toISOString()}>{at.toLocaleTimeString([], { timeStyle: "short" })}</time>
      <p>
        <Name of={text} lines />
        {more && (
          <small dir="auto">
            <Visible text={more} lines />
          </small>
        )}
      </p>
    </li>
  );
}
