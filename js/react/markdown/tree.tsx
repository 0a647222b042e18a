// Tokens of markdown as elements. No token becomes HTML: what a text says of tags is shown as it is written.
import type { Token, Tokens } from "marked";
import { Fragment, type ReactNode, useState } from "react";
import type { Source } from "../../src/wire/record.js";
import { Zoom } from "../outputs/zoom.js";
import { useLabels } from "../render/labels.js";
import { Name } from "../text/visible.js";
import { visibleText } from "../text/visible-text.js";
import { CodeBlock } from "./code-block.js";
import { useExtras } from "./extras/late.js";
import type { Sort } from "./extras/order.js";
import { decoded, otherHost, ownPicture, safeLink } from "./safe-url.js";

export interface TreeOptions {
  /** Draws a formula. */
  readonly math?: ((formula: string, display: boolean) => ReactNode) | undefined;
  /** Whether a picture of this address is loaded at once; by default none is, and those of the page's own site are with a press. */
  readonly images?: ((src: string) => boolean) | undefined;
}

/** What one answer gives beside. */
export interface TreePlace extends TreeOptions {
  /** What marks such as `[1]` stand for. */
  readonly sources?: readonly Source[] | undefined;
}

interface Place extends TreePlace {
  readonly depth: number;
  /** Here the text is still being written. */
  readonly open: boolean;
  /** Within a link, where nothing else can be pressed. */
  readonly linked?: boolean;
}

/** Deeper than this, text is shown as it is written. */
const deepest = 16;

export function tree(tokens: readonly Token[], options: TreePlace, open: boolean): ReactNode {
  return draw(tokens, { ...options, open, depth: 0 });
}

function draw(tokens: readonly Token[] | undefined, place: Place): ReactNode[] {
  return (tokens ?? []).map((token, index, { length }) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name, and only the last ones change.
    <Fragment key={index}>{one(token as Tokens.Generic, { ...place, open: place.open && index === length - 1 })}</Fragment>
  ));
}

function one(token: Tokens.Generic, outer: Place): ReactNode {
  if (outer.depth > deepest) return token.raw;
  const place = { ...outer, depth: outer.depth + 1 };
  const inside = () => draw(token.tokens, place);
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return null;
    case "heading":
    case "paragraph": {
      const Tag = token.depth ? (`h${token.depth}` as "h1") : "p";
      return <Tag>{inside()}</Tag>;
    }
    case "text":
      if (token.tokens) return inside();
      return (
        <>
          <Text text={decoded(token.text)} sources={place.linked ? undefined : place.sources} />
          {place.open && <i data-glove-caret="" />}
        </>
      );
    case "escape":
      return token.text;
    case "strong":
      return <strong>{inside()}</strong>;
    case "em":
      return <em>{inside()}</em>;
    case "del":
      return <del>{inside()}</del>;
    case "codespan":
      return <code dir="auto">{token.text}</code>;
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "blockquote":
      return <blockquote>{inside()}</blockquote>;
    case "code":
      return <CodeBlock code={token.text} info={token.lang ?? ""} open={place.open} />;
    case "list":
      return <List list={token as Tokens.List} place={place} />;
    case "table":
      return <Table table={token as Tokens.Table} place={place} />;
    case "link":
      return (
        <Link href={decoded(token.href)} linkText={seenOf(token.tokens)}>
          {draw(token.tokens, { ...place, linked: true })}
        </Link>
      );
    case "image":
      return <Picture src={decoded(token.href)} alt={decoded(token.text)} place={place} />;
    case "math":
      return place.math ? place.math(token.text, token.display) : token.raw;
    default:
      return token.raw;
  }
}

const marks = /\[\d{1,2}\]/;

/** A text, in which marks may lead to sources. */
function Text({ text, sources }: { readonly text: string; readonly sources: readonly Source[] | undefined }): ReactNode {
  const extras = useExtras(sources !== undefined && marks.test(text));
  return extras && sources ? <extras.Cited text={text} sources={sources} /> : text;
}

/** What is seen of them, without their looks. */
function seenOf(tokens: readonly Token[] | undefined): string {
  let seen = "";
  for (const token of (tokens ?? []) as readonly Tokens.Generic[]) {
    if (token.type === "image") seen += decoded(token.text || token.href);
    else if (token.tokens) seen += seenOf(token.tokens);
    else if (token.type === "text") seen += decoded(token.text);
    else seen += token.type === "br" ? " " : (token.text ?? token.raw);
  }
  return seen;
}

interface LinkProps {
  readonly href: string;
  /** Its text as it is seen, which may be an address itself. */
  readonly linkText: string;
  readonly children: ReactNode;
}

function Link({ href, linkText, children }: LinkProps): ReactNode {
  const safe = safeLink(href);
  if (safe === undefined) return children;
  const own = safe.startsWith("#") ? {} : { target: "_blank", rel: "noopener noreferrer nofollow", title: visibleText(safe) };
  const other = otherHost(linkText, safe);
  return (
    <a href={safe} {...own}>
      {children}
      {other && (
        <>
          {" "}
          (<Name of={other} />)
        </>
      )}
    </a>
  );
}

function Picture({ src, alt, place }: { readonly src: string; readonly alt: string; readonly place: Place }): ReactNode {
  const say = useLabels();
  const [pressed, press] = useState<string>();
  const safe = safeLink(src);
  if (safe !== undefined && (place.images ? place.images(safe) : pressed === safe)) {
    const img = { src: safe, alt, loading: "lazy", "data-glove-keep": place.images ? undefined : "" } as const;
    return place.linked ? <img {...img} alt={alt} /> : <Zoom {...img} />;
  }
  if (place.linked) return <Name of={alt || src} />;
  if (safe !== undefined && !place.images && ownPicture(safe)) {
    return (
      <button type="button" data-glove-more="" title={visibleText(safe)} onClick={() => press(safe)}>
        {say("Show picture")}: <Name of={alt || safe} />
      </button>
    );
  }
  return (
    <Link href={src} linkText={alt}>
      {alt || src}
    </Link>
  );
}

function List({ list, place }: { readonly list: Tokens.List; readonly place: Place }): ReactNode {
  const items = list.items.map((item, index, { length }) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name.
    <li key={index} data-glove-task={item.task ? "" : undefined}>
      {item.task && (
        <input type="checkbox" checked={item.checked ?? false} readOnly disabled aria-label={item.text.slice(0, 100)} />
      )}
      {draw(item.tokens, { ...place, open: place.open && index === length - 1 })}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, place }: { readonly table: Tokens.Table; readonly place: Place }): ReactNode {
  // The cells that a row does not have yet are empty.
  const last = place.open && [table.header, ...table.rows].flat().findLast(({ text }) => text);
  const numeric = table.header.map((_, at) => isNumeric(table.rows.map((row) => row[at]).filter((cell) => cell !== last)));
  const [wanted, setSort] = useState<Sort>();
  const extras = useExtras(!place.open);
  const textOf = (cell: Tokens.TableCell | undefined) => seenOf(cell?.tokens).trim();
  const sort = extras && wanted;
  const rows = sort
    ? extras.sorted(table.rows, (row) => textOf(row[sort.column]), numeric[sort.column] ?? false, sort)
    : table.rows;
  const cells = (row: readonly Tokens.TableCell[]) =>
    row.map((cell, index) => {
      // An empty corner is the heading of nothing.
      const Cell = cell.header && cell.text ? "th" : "td";
      const content = draw(cell.tokens, { ...place, open: cell === last });
      const sorts =
        extras && Cell === "th" && table.rows.length > 1 && !holdsLink(cell.tokens) && !(place.sources && marks.test(cell.text));
      const order = sort?.column === index ? (sort.down ? "descending" : "ascending") : undefined;
      return (
        <Cell
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name.
          key={index}
          // A table that says nothing of a column has its numbers below each other, in both directions of writing.
          align={table.header[index]?.align ?? (numeric[index] ? "right" : undefined)}
          aria-sort={cell.header ? order : undefined}
          dir="auto"
        >
          {sorts ? (
            <extras.SortButton column={index} sort={sort} onSort={setSort}>
              {content}
            </extras.SortButton>
          ) : (
            content
          )}
        </Cell>
      );
    });
  return (
    <div data-glove-keep={sort ? "" : undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard. */}
      <div data-glove-table="" tabIndex={0}>
        <table>
          <thead>
            <tr>{cells(table.header)}</tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={table.rows.indexOf(row)}>{cells(row)}</tr>
            ))}
          </tbody>
        </table>
      </div>
      <div data-glove-table-tools="">
        {extras && <extras.TableTools rows={() => [table.header, ...rows].map((row) => row.map(textOf))} />}
      </div>
    </div>
  );
}

/** It cannot stand in a button. */
const holdsLink = (tokens: readonly Token[] | undefined): boolean =>
  (tokens ?? []).some((token) => /^(?:link|image)$/.test(token.type) || holdsLink((token as Tokens.Generic).tokens));

const number = /^[-+−±~≈<>≤≥(]?\s?\p{Sc}?\s?\d[\d.,'’\s]*(?:[%‰]|\p{Sc})?\)?$/u;

/** Whether all cells that say anything are numbers. */
function isNumeric(cells: readonly (Tokens.TableCell | undefined)[]): boolean {
  const said = cells.flatMap((cell) => cell?.text || []);
  return said.length > 0 && said.every((text) => number.test(text));
}
