// Names and values of a call's arguments, as a person reads them: what is long is folded, and all of it can be opened.
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { nextFrame } from "../../../src/timing/next-frame.js";
import { useBrowserLayoutEffect } from "../../hooks/use-browser-layout-effect.js";
import { useLabels } from "../../render/labels.js";
import { Visible } from "../../text/visible.js";
import { Change, newName } from "./change.js";
import { Pieces } from "./chunked-text.js";
import { humanName, readable } from "./tool-state.js";

/** More is folded: in UTF-16 units of all names and values, and in rows. */
const [maxText, maxRows] = [10_000, 100];
/** So many lines are in sight at once: for who decides, more are folded too, so that none hides the values below it. */
const maxLines = 24;
/** In UTF-16 units: what is longer is wrapped, and counts as more lines. */
const wide = 48;
/** More of them are one text. */
const maxDrawn = 500;

interface Row {
  /** None where the values are a text. */
  readonly name?: string;
  readonly text: string;
  /** What the call replaces, and what by. */
  readonly change?: readonly [before: string, after: string];
  /** The text is a label. */
  readonly isWord?: boolean;
}

/** What a call was given, and whether a part of it cannot be read yet: it is folded, or still to be drawn. */
export interface Reading {
  readonly values: ReactNode;
  readonly folded: boolean;
}

/** `none` stands where there is nothing. */
export function Values({ of, none = null }: { readonly of: unknown; readonly none?: ReactNode }): ReactNode {
  return useValues(of, Number.POSITIVE_INFINITY).values ?? none;
}

/** For who decides about them: nothing is allowed while a part of it is folded. */
export function useValues(of: unknown, lines = maxLines): Reading {
  const say = useLabels();
  const element = useRef<HTMLElement>(null);
  const [openRows, open] = useState<readonly Row[]>();
  const rows = useMemo(() => rowsOf(of), [of]);
  const size = useMemo(() => rows.reduce((sum, { name = "", text }) => sum + name.length + text.length, 0), [rows]);
  // Other values are folded again.
  const isLong = useMemo(() => size > maxText || rows.length > maxRows || linesOf(rows) > lines, [rows, size, lines]);
  const folded = isLong && !same(openRows, rows);
  // The button goes; the focus goes to what it has opened.
  useBrowserLayoutEffect(() => {
    if (openRows) element.current?.focus();
  }, [openRows]);
  const drawn = useDrawn(folded ? 0 : size, openRows);
  if (rows.length === 0) return { values: undefined, folded };
  const values = (
    <>
      <Rows of={folded ? fronts(rows) : rows} drawn={drawn} element={element} folded={folded} />
      {folded && (
        <button type="button" data-glove-more="" onClick={() => open(rows)}>
          {`${say("Show all")} · ${say("{n} characters", { n: size.toLocaleString() })}`}
        </button>
      )}
    </>
  );
  return { values, folded: folded || drawn < size };
}

/** In UTF-16 units: so much of what was opened is drawn with each frame, so that the page does not stand still for it. */
const eachFrame = 64_000;

/** How much of it is drawn by now. */
function useDrawn(size: number, openRows: readonly Row[] | undefined): number {
  const [drawn, draw] = useState({ opened: openRows, end: eachFrame });
  const end = drawn.opened === openRows ? drawn.end : eachFrame;
  useEffect(
    () => (end < size ? nextFrame(() => draw({ opened: openRows, end: end + eachFrame })) : undefined),
    [openRows, end, size],
  );
  return end < size ? end : Number.POSITIVE_INFINITY;
}

interface RowsProps {
  readonly of: readonly Row[];
  readonly drawn: number;
  readonly element: RefObject<HTMLElement | null>;
  /** On a narrow screen, too, no front hides what is below it. */
  readonly folded: boolean;
}

function Rows({ of, drawn, element, folded }: RowsProps): ReactNode {
  const say = useLabels();
  const [first] = of;
  let left = drawn;
  if (first && first.name === undefined) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard.
      <p ref={element as RefObject<HTMLParagraphElement>} data-glove-values="" tabIndex={0} dir="auto">
        <Pieces text={first.text} most={drawn} />
      </p>
    );
  }
  return (
    <dl ref={element as RefObject<HTMLDListElement>} data-glove-values={folded ? "front" : ""} tabIndex={0}>
      {of.map(({ name = "", text, change, isWord }, at) => {
        const most = left;
        left -= name.length + text.length;
        return (
          most > 0 && (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may be equal.
            <div key={at} data-glove-wide={wideOf(name, text)}>
              <dt dir="auto">
                <Visible text={name} />
              </dt>
              <dd dir="auto">
                {change ? <Change of={change} most={most} /> : <Pieces text={isWord ? say(text) : text} most={most} />}
              </dd>
            </div>
          )
        );
      })}
    </dl>
  );
}

/** What is written in it is read as a text. In what is nested deeper, nobody finds a way by names. */
const deepest = 4;

/** A group or a list with a text of several lines somewhere in it: in JSON that would be one line with `\\n` in it. */
function hasLines(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > deepest) return false;
  return Object.values(value).some((one) => (typeof one === "string" ? /\n(?=.)/s.test(one) : hasLines(one, depth + 1)));
}

function rowsOf(of: unknown, depth = 0): Row[] {
  if (of === undefined || of === null) return [];
  if (typeof of !== "object") return [{ text: String(of) }];
  const values = of as Readonly<Record<string, unknown>>;
  const rows: Row[] = [];
  if (Object.keys(values).length > maxDrawn) return [{ text: readable(of) }];
  const replaced = new Set<string>();
  for (const [key, value] of Object.entries(values)) {
    const other = newName(key);
    if (other !== undefined && typeof value === "string" && typeof values[other] === "string") replaced.add(other);
  }
  for (const [key, value] of Object.entries(values)) {
    const name = Array.isArray(of) ? String(Number(key) + 1) : humanName(key);
    const other = newName(key) ?? "";
    const after = replaced.has(other) ? values[other] : undefined;
    if (value === undefined || replaced.has(key)) continue;
    if (typeof value === "string" && typeof after === "string") {
      rows.push({ name: `${name} → ${humanName(other)}`, text: `${value}\n${after}`, change: [value, after] });
    } else if (Array.isArray(value) && value.length > 0 && value.every(isChange)) {
      for (const [at, one] of value.entries())
        for (const row of rowsOf(one)) rows.push({ ...row, name: `${name} ${at + 1}: ${row.name}` });
    } else if (depth < deepest && hasLines(value)) {
      for (const row of rowsOf(value, depth + 1))
        rows.push({ ...row, name: row.name === undefined ? name : `${name}: ${row.name}` });
    } else if (typeof value === "boolean") rows.push({ name, text: value ? "Yes" : "No", isWord: true });
    else rows.push({ name, text: readable(value) });
  }
  return rows.length > maxDrawn ? [{ text: readable(of) }] : rows;
}

/** One of several, as tools that edit take them. */
const isChange = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).some(([key, old]) => typeof old === "string" && typeof Object(value)[newName(key) ?? ""] === "string");

const linesOf = (rows: readonly Row[]): number =>
  rows.reduce(
    (sum, { text }) => sum + text.split("\n").reduce((lines, line) => lines + Math.ceil(line.length / wide || 1), 0),
    0,
  );

/** What does not fit beside its name has the whole width below it; `code` is what a machine reads. */
function wideOf(name: string, text: string): "code" | "text" | undefined {
  const isCode =
    /^(?:code|command|cmd|script|sql|query|shell|patch|diff)$/i.test(name) || /^\s*[{[]|[;{}]$|^(?: {2}|\t)\S|\S{40}/m.test(text);
  if (isCode && text.length > 12) return "code";
  return text.length > wide || text.includes("\n") ? "text" : undefined;
}

/** Of each as much as of the others. */
function fronts(rows: readonly Row[]): Row[] {
  const share = Math.max(100, Math.floor(maxText / rows.length));
  const lines = Math.max(2, Math.floor(maxLines / rows.length));
  const cut = (text: string) => {
    const front = text
      .slice(0, Math.min(share, lines * wide))
      .split("\n", lines)
      .join("\n");
    return front.length < text.length ? `${front}…` : text;
  };
  return rows.slice(0, maxRows).map(({ name, text }) => ({ text: cut(text), ...(name !== undefined && { name: cut(name) }) }));
}

const same = (a: readonly Row[] | undefined, b: readonly Row[]): boolean =>
  a === b || (a?.length === b.length && b.every(({ name, text }, at) => a[at]?.name === name && a[at]?.text === text));
