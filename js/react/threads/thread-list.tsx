// `ThreadList`: the element around a list of threads, and what its parts share.
import { type CSSProperties, type ReactNode, useContext, useMemo, useRef, useState } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { useWords } from "../languages/words.js";
import { css } from "../look/generated/base-css.js";
import { css as own } from "../look/generated/threads-css.js";
import { Sheet } from "../look/sheet.js";
import { type Labels, LabelsContext, useLabels } from "../render/labels.js";
import { BuiltInThreadList } from "./built-in.js";
import { ActionsContext, rowsOf, StateContext, type ThreadListActions, type ThreadListState } from "./thread-list-context.js";
import type { useVisibleThreads } from "./use-visible-threads.js";

/** What `ThreadList` takes. */
export interface ThreadListProps {
  /**
   * The id of the thread that is shown, where the application keeps it. Without it that is the conversation of the provider, which goes to
   * the one that is chosen.
   */
  current?: string | undefined;
  /** Called with the id of the thread that a person has chosen, or of a new one; and of the message, where that was found by its words. */
  onSelect?: ((id: string, message?: string) => void) | undefined;
  /** Texts of the list, in the place of its own. */
  labels?: Labels | undefined;
  /** The language of the labels: that of the page, unless you say another one. */
  lang?: string | undefined;
  /** The field that finds threads and messages: by default there once there were eight of them; `"always"`, or `false` for never. */
  search?: "always" | false | undefined;
  /** Omits the style sheet. */
  unstyled?: boolean | undefined;
  /** For the style sheet in HTML from a server, if your policy forbids styles without one. */
  nonce?: string | undefined;
  /** A class of the list. */
  className?: string | undefined;
  /** Its inline style. */
  style?: CSSProperties | undefined;
  /** Parts in your own markup, which has no look then. */
  children?: ReactNode;
}

/** What it is given by what loads it. */
interface LoadedProps extends ThreadListProps {
  readonly useVisibleThreads: typeof useVisibleThreads;
}

export function LoadedThreadList({ labels, ...props }: LoadedProps): ReactNode {
  const around = useContext(LabelsContext);
  const words = useWords(props.lang, labels ?? around);
  return (
    <LabelsContext.Provider value={words}>
      <Frame {...props} />
    </LabelsContext.Provider>
  );
}

function Frame({
  useVisibleThreads,
  current,
  onSelect,
  search: field,
  unstyled,
  nonce,
  className,
  style,
  lang,
  children,
}: LoadedProps): ReactNode {
  const say = useLabels();
  const root = useRef<HTMLElement>(null);
  const [search, setSearch] = useState("");
  const [finds, setFinds] = useState(false);
  const [editing, setEditing] = useState<ThreadListState["editing"]>();
  const visible = useVisibleThreads(search);
  const { list } = visible;
  const now = current ?? visible.id;
  const latest = useRef({ list, shown: visible, now, current, onSelect });
  useBrowserLayoutEffect(() => {
    latest.current = { list, shown: visible, now, current, onSelect };
  });
  const wanted = useRef<Parameters<ThreadListActions["focusLater"]>[0]>(undefined);
  const placing = useRef(false);
  // What had the focus is gone by now: it goes on where it was meant to, unless a person was faster.
  useBrowserLayoutEffect(() => {
    const { current: to } = wanted;
    if (!to || !root.current) return;
    const found =
      to === "undo"
        ? root.current.querySelector<HTMLElement>("[data-glove-undo] :is(button, a)")
        : rowsOf({ root }).find(({ dataset }) => dataset.gloveThread === to.thread);
    if (!found) return;
    wanted.current = undefined;
    const { activeElement: at, body } = document;
    placing.current = true;
    if (!at || at === body || root.current.contains(at)) found.focus();
    placing.current = false;
  });
  const actions = useMemo((): ThreadListActions => {
    let left: { readonly from: string; readonly to: string } | undefined;
    const select = (id: string, message?: string) => {
      const { shown: visible, current, onSelect } = latest.current;
      if (current === undefined) visible.switchTo(id);
      if (message === undefined) onSelect?.(id);
      else onSelect?.(id, message);
    };
    const begin = async () => {
      const { shown: visible, current, onSelect } = latest.current;
      const id = await visible.begin(current === undefined);
      onSelect?.(id);
      return id;
    };
    return {
      root,
      setSearch,
      find: () => setFinds(true),
      engine: () => latest.current.shown.engine(),
      edit: (id) => setEditing(id === undefined ? id : { id }),
      placing,
      focusLater: (to) => {
        wanted.current = to;
      },
      select,
      begin: () => void begin(),
      rename(id, title) {
        // Its field stays until the list shows the title, or why there is none.
        const typed = { id, title };
        const over = () => setEditing((now) => (now === typed ? undefined : now));
        setEditing(typed);
        latest.current.list.rename(id, title).then(over, over);
      },
      archive: (id, archived) => void latest.current.list[archived ? "archive" : "unarchive"](id),
      remove({ id }) {
        void latest.current.list.remove(id);
        // What is deleted is not looked at any more; who takes that back is where he was.
        if (id !== latest.current.now) return;
        void begin().then((to) => {
          left = { from: id, to };
        });
      },
      restore({ id }) {
        void latest.current.list.restore(id);
        if (left?.from === id && left.to === latest.current.now) select(id);
      },
    };
  }, []);
  const { client } = visible;
  const state = useMemo(
    () => ({ list, search, finds, client, current: now, editing }),
    [list, search, finds, client, now, editing],
  );
  const styled = !unstyled && children === undefined;
  return (
    <ActionsContext.Provider value={actions}>
      <StateContext.Provider value={state}>
        <nav
          ref={root}
          lang={lang}
          aria-label={say("Conversations")}
          className={className}
          style={style}
          data-glove-look={styled ? "" : undefined}
          data-glove-threads=""
          data-ready={list.ready ? "" : undefined}
        >
          {styled && <Sheet nonce={nonce} css={css} first />}
          {styled && <Sheet nonce={nonce} css={own} />}
          {children ?? <BuiltInThreadList field={field} />}
        </nav>
      </StateContext.Provider>
    </ActionsContext.Provider>
  );
}
