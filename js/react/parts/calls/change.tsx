// What a call replaces in a text: both texts to their ends, line by line.
import { type ReactNode, useMemo } from "react";
import { Pieces } from "./chunked-text.js";

/** The name of what takes the place of the old text of this name. */
export const newName = (name: string): string | undefined =>
  /^old/i.test(name) ? name.replace(/^old/i, name.startsWith("o") ? "new" : "New") : undefined;

/** Of more, all lines of the one are followed by all lines of the other. */
const [maxCompared, maxBlocks] = [1_000_000, 1_000];

interface ChangeProps {
  readonly of: readonly [before: string, after: string];
  /** As much of it is drawn. */
  readonly most: number;
}

export function Change({ of: [before, after], most }: ChangeProps): ReactNode {
  const blocks = useMemo(() => changes(before.split("\n"), after.split("\n")).map(signed), [before, after]);
  let left = most;
  return (
    <span data-glove-change="">
      {blocks.map(([Tag, text], at) => {
        const most = left;
        left -= text.length;
        return (
          most > 0 && (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
            <Tag key={at}>
              <Pieces text={text} most={most} />
            </Tag>
          )
        );
      })}
    </span>
  );
}

const signed = ([tag, lines]: Block) => [tag, lines.map((line) => `${signs[tag]} ${line}\n`).join("")] as const;

const signs = { span: " ", del: "-", ins: "+" } as const;
type Block = readonly [kind: keyof typeof signs, lines: string[]];

function changes(before: readonly string[], after: readonly string[]): Block[] {
  const most = Math.min(before.length, after.length);
  let [head, tail] = [0, 0];
  while (head < most && before[head] === after[head]) head++;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (lines: readonly string[]): Block[] => (lines.length > 0 ? [["span", [...lines]]] : []);
  return [
    ...same(before.slice(0, head)),
    ...compared(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

/** By the longest common subsequence. */
function compared(before: string[], after: string[]): Block[] {
  const replaced: Block[] = [["del", before] as const, ["ins", after] as const].filter(([, lines]) => lines.length > 0);
  const width = after.length + 1;
  if (before.length * after.length > maxCompared) return replaced;
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      longest[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const blocks: Block[] = [];
  const add = (kind: Block[0], line: string) => {
    const last = blocks.at(-1);
    if (last?.[0] === kind) last[1].push(line);
    else blocks.push([kind, [line]]);
  };
  for (let [i, j] = [0, 0]; i < before.length || j < after.length; ) {
    if (i < before.length && before[i] === after[j]) {
      add("span", before[i++] ?? "");
      j++;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) add("del", before[i++] ?? "");
    else add("ins", after[j++] ?? "");
  }
  return blocks.length > maxBlocks ? replaced : blocks;
}
