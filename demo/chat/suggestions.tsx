// What could be said next, at a press: not where the empty conversation offers it, or where a question waits.
import { useGlove } from "glove-wasm/react";

interface SuggestionsProps {
  readonly suggestions: readonly string[];
  readonly send: (text: string) => unknown;
}

export function Suggestions({ suggestions, send }: SuggestionsProps) {
  const empty = useGlove(({ timeline }) => timeline.length === 0);
  const waits = useGlove(({ run }) => run.phase === "waiting");
  if (empty || waits) return null;
  return (
    <fieldset className="suggestions">
      <legend className="heard">Suggestions</legend>
      {suggestions.map((text) => (
        <button key={text} type="button" onClick={() => send(text)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}
