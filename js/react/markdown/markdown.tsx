// Markdown that streams: block by block, so that what is settled is neither read nor drawn again.
import { Lexer, Marked, type MarkedOptions } from "marked";
import { type ComponentType, memo, type ReactNode, useContext, useEffect, useReducer, useRef, useState } from "react";
import { Zooms } from "../outputs/zoom.js";
import { AtOnce, useFront } from "../render/long-text.js";
import type { TextRenderProps } from "../render/types.js";
import { Blocks, closed, type TextBlock } from "./blocks.js";
import { mathRules } from "./math.js";
import { type TreeOptions, type TreePlace, tree } from "./tree.js";

/** What may differ between chats. */
export interface MarkdownOptions extends TreeOptions {}

/** Blocks that are drawn in one frame, in UTF-16 units of text. */
const perFrame = 4_000;

/** A component for the `markdown` prop of `<Render>`: make it once, outside of components. */
export function createMarkdown(options: MarkdownOptions = {}): ComponentType<TextRenderProps> {
  const settings = new Marked({ gfm: true, breaks: true }, options.math ? { extensions: mathRules } : {}).defaults;
  const Block = memo(function Block({
    block,
    links,
    open,
    sources,
  }: {
    block: TextBlock;
    links: Lexer["tokens"]["links"];
    open: boolean;
    sources: TextRenderProps["sources"];
  }) {
    if (block.plain) return <span data-glove-plain="">{block.text}</span>;
    return read(block.text, links, settings, { ...options, sources }, open);
  });
  return function Markdown({ text, streaming, sources: given }: TextRenderProps): ReactNode {
    const [front, more] = useFront(text);
    const [{ blocks, links }] = useState(() => ({ blocks: new Blocks(options.math !== undefined), links: {} }));
    // Only saves work: what is remembered of the text before never changes what comes out.
    blocks.update(front);
    const { settled, open } = blocks;
    const visible = useVisibleBlocks(settled);
    const all = visible === settled.length;
    // An answer that lists its notes itself has marks of its own.
    const sources = given && !ownNotes.test(text) ? given : undefined;
    const tail = streaming && !blocks.isInCode ? { ...open, text: closed(open.text) } : open;
    return (
      <div data-glove-markdown="">
        <Zooms>
          {settled.slice(0, visible).map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: settled blocks never change their places.
            <Wrapped key={index} plain={block.plain}>
              <Block block={block} links={links} open={false} sources={sources} />
            </Wrapped>
          ))}
          {/* It grows without a word, and is read out when it stands among the settled ones. */}
          {all && (
            <Wrapped key={streaming ? "open" : settled.length} plain={open.plain} live={streaming ? "off" : undefined}>
              <Block block={tail} links={links} open={streaming} sources={sources} />
            </Wrapped>
          )}
          {more}
        </Zooms>
      </div>
    );
  };
}

const ownNotes = /^ {0,3}(?:[-*+] |\d+[.)] )?\[\d{1,2}\][:\s]/m;

interface WrappedProps {
  readonly plain: boolean;
  readonly live?: "off" | undefined;
  readonly children: ReactNode;
}

/** Pieces of one line flow into each other. */
function Wrapped({ plain, live, children }: WrappedProps): ReactNode {
  if (plain) return <span aria-live={live}>{children}</span>;
  return (
    <div data-glove-block="" dir="auto" aria-live={live}>
      {children}
    </div>
  );
}

/** How many blocks are drawn: of a long text that comes at once, or faster than it is drawn, some in each frame. */
function useVisibleBlocks(blocks: readonly TextBlock[]): number {
  const [, drawMore] = useReducer((frames: number) => frames + 1, 0);
  const drawn = useRef(0);
  const visible = useContext(AtOnce) ? blocks.length : upTo(blocks, drawn.current);
  useEffect(() => {
    drawn.current = visible;
    if (visible === blocks.length) return;
    const frame = requestAnimationFrame(drawMore);
    return () => cancelAnimationFrame(frame);
  });
  return visible;
}

function upTo(blocks: readonly TextBlock[], from: number): number {
  let size = 0;
  for (let at = from; at < blocks.length; at++) {
    size += blocks[at]?.text.length ?? 0;
    if (size > perFrame) return at + 1;
  }
  return blocks.length;
}

/** So many quotes in each other are no text of anybody. */
const tooDeep = /^(?:[ \t]*>){40}/m;

function read(text: string, links: object, settings: MarkedOptions, options: TreePlace, open: boolean): ReactNode {
  if (!tooDeep.test(text)) {
    try {
      const lexer = new Lexer(settings);
      // What an address is called holds in the blocks after it.
      Object.assign(lexer.tokens.links, links);
      const tokens = lexer.lex(text);
      if (!open) Object.assign(links, tokens.links);
      return tree(tokens, options, open);
    } catch {
      // It is shown as it is written.
    }
  }
  return <p data-glove-plain="">{text}</p>;
}
