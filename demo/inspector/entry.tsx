// One line of a list, which opens to the whole of what it stands for.
export function Entry({ tag, gist, whole }: { tag: string; gist: string; whole: unknown }) {
  return (
    <details className="entry">
      <summary>
        <span className="tag" data-tag={tag}>
          {tag}
        </span>{" "}
        <span className="gist">{gist}</span>
      </summary>
      <pre>{typeof whole === "string" ? whole : JSON.stringify(whole, undefined, 2)}</pre>
    </details>
  );
}
