// What stands where there is no message yet: a greeting, and messages to begin with.
import type { ReactNode } from "react";
import { useHandlePart } from "../hooks/handle-registry.js";
import { useLabels } from "../render/labels.js";
import type { RenderProps } from "../render/types.js";
import { isEmpty } from "./activity.js";
import { useChat } from "./chat-context.js";

/** What `Welcome` takes. */
export type WelcomeProps = Pick<RenderProps, "welcome" | "suggestions">;

/** There only as long as the conversation is empty. */
export function Welcome({ welcome, ...given }: WelcomeProps): ReactNode {
  const suggestions = given.suggestions ?? [];
  const { glove, toEnd } = useChat();
  const say = useLabels();
  const empty = useHandlePart(glove, isEmpty);
  const greeting = welcome === undefined ? say("What can I do for you?") : welcome;
  if (!empty || !hasGreeting({ welcome, suggestions })) return null;
  const send = (text: string) => {
    void glove.sendMessage(text);
    toEnd.current?.();
  };
  return (
    <div data-glove-role="welcome">
      {greeting !== null && <div data-glove-greeting="">{greeting}</div>}
      {suggestions.length > 0 && (
        <ul aria-label={say("Suggestions")}>
          {suggestions.map((suggestion) => {
            const { label, text } = typeof suggestion === "string" ? { label: suggestion, text: suggestion } : suggestion;
            return (
              <li key={label}>
                <button type="button" onClick={() => send(text)}>
                  {text === label ? (
                    label
                  ) : (
                    <>
                      <span>{label}</span> <small>{text}</small>
                    </>
                  )}
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

/** An application may want none. */
export const hasGreeting = ({ welcome, suggestions }: WelcomeProps): boolean => welcome !== null || !!suggestions?.length;
