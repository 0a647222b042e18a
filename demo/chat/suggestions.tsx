// What could be said next, at a press.
export function Suggestions({ suggestions, send }: { suggestions: readonly string[]; send: (text: string) => unknown }) {
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
