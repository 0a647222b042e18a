// What an answer refers to, where the model's provider tells: links below its text.
import type { ReactNode } from "react";
import type { Source } from "../../src/wire/record.js";
import { useLabels } from "../render/labels.js";
import { Name } from "../text/visible.js";
import { visibleText } from "../text/visible-text.js";
import { Icon } from "./icons.js";

/** What `Sources` takes; the function draws one link. */
export interface SourcesProps {
  /** The message whose sources are listed. */
  entry: { readonly sources?: readonly Source[] | undefined };
  /** Draws one source in your own markup. */
  children?: ((source: Source, index: number) => ReactNode) | undefined;
}

/** The links to what an answer refers to, folded. Nothing where there are none. */
export function Sources({ entry, children = link }: SourcesProps): ReactNode {
  const say = useLabels();
  // A store may hold anything.
  const sources = (entry.sources ?? []).filter((source) => /^https?:/.test(source?.url));
  if (sources.length === 0) return null;
  return (
    <details data-glove-role="sources">
      <summary>
        {`${say("Sources")} · ${sources.length}`} <Icon name="chevron" />
      </summary>
      <ol>
        {sources.map((source, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
          <li key={index}>{children(source, index)}</li>
        ))}
      </ol>
    </details>
  );
}

const link = ({ url, title }: Source): ReactNode => (
  <a href={url} title={visibleText(url)} target="_blank" rel="noopener noreferrer nofollow">
    <Name of={`${title || url}`} />
  </a>
);
