// What can be done with a table of an answer: a press on a heading sorts by its column, and a button copies it.
import type { ReactNode } from "react";
import { useCopy } from "../../parts/copy-button.js";
import { Icon, IconLabel } from "../../parts/icons.js";
import { useLabels } from "../../render/labels.js";
import { asCsv } from "./csv.js";
import { dressed } from "./dress.js";
import { orderOf, type Sort } from "./order.js";

/** The rows in their order, by the texts of their cells. */
export function sorted<R>(rows: readonly R[], textOf: (row: R) => string, numeric: boolean, { down }: Sort): R[] {
  return orderOf(rows.map(textOf), numeric, down).map((at) => rows[at] as R);
}

interface SortButtonProps {
  readonly column: number;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort | undefined) => void;
  readonly children: ReactNode;
}

/** The words of a heading. The first press sorts, the second turns it round, the third gives back the order of the answer. */
export function SortButton({ column, sort, onSort, children }: SortButtonProps): ReactNode {
  const own = sort?.column === column ? sort : undefined;
  const next = own ? (own.down ? undefined : { column, down: true }) : { column, down: false };
  return (
    <button ref={dressed} type="button" data-glove-sort={own ? (own.down ? "down" : "up") : ""} onClick={() => onSort(next)}>
      {children}
      <Icon name={own ? (own.down ? "M12 5v14M6 13l6 6 6-6" : "M12 19V5M6 11l6-6 6 6") : "M8 10l4-4 4 4M8 14l4 4 4-4"} />
    </button>
  );
}

/** `rows`: the texts of all cells, in the order that is seen. */
export function TableTools({ rows }: { readonly rows: () => string[][] }): ReactNode {
  const say = useLabels();
  const [copied, copy] = useCopy(() => asCsv(rows()));
  const label = say(copied ? "Copied" : "Copy as CSV");
  return (
    <button ref={dressed} type="button" title={label} data-state={copied ? "copied" : "idle"} onClick={copy}>
      <IconLabel icon={copied ? "done" : "copy"} label={label} />
    </button>
  );
}
