// `<TaskBoard>`: a task on the screen, with what a person may do about it.
import {
  type ComponentType,
  type CSSProperties,
  type ReactNode,
  useContext,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { css } from "../../react/look/generated/css.js";
import { css as own } from "../../react/look/generated/task-board-css.js";
import { Sheet } from "../../react/look/sheet.js";
import { type Labels, LabelsContext, useLabels } from "../../react/render/labels.js";
import type { TextRenderProps } from "../../react/render/types.js";
import { Name } from "../../react/text/visible.js";
import type { TaskSpec } from "../../src/wire/task-types.js";
import { Activity } from "./activity.js";
import { Files } from "./files.js";
import { Head } from "./head.js";
import type { TaskLabels } from "./labels.js";
import { type Board, BoardContext } from "./parts.js";
import { Phases, Plan } from "./progress.js";
import { Questions } from "./questions.js";
import { Result } from "./result.js";
import { type UseTaskConfig, type UseTaskReturn, useTask } from "./use-task.js";
import { Viewer } from "./viewer.js";

/** What `TaskBoard` takes. */
export interface TaskBoardProps extends UseTaskConfig {
  /** The id of a workspace, a workspace, an open task, `{ client, id }` of a server's, or what `useTask()` gave. */
  task: Parameters<typeof useTask>[0] | UseTaskReturn;
  /** Begun by the person, with a button, where there is no task yet; a text is its goal. */
  start?: TaskSpec | string | undefined;
  /** Draws markdown files and the answer: `true` loads what `<Render>` uses, `false` shows them as they are written. */
  markdown?: ComponentType<TextRenderProps> | boolean | undefined;
  /** Texts of the board, in the place of its own. */
  labels?: (TaskLabels & Labels) | undefined;
  /** Omits the style sheet. */
  unstyled?: boolean | undefined;
  /** For the style sheet in HTML from a server, if your policy forbids styles without one. */
  nonce?: string | undefined;
  /** A class of the board. */
  className?: string | undefined;
  /** Its inline style. */
  style?: CSSProperties | undefined;
}

/** A task on the screen: phases, plan, approvals, files, budgets, what happened, and what came of it. */
export function TaskBoard({ task, agent, labels, ...props }: TaskBoardProps): ReactNode {
  const outer = useContext(LabelsContext);
  const all = useMemo(() => ({ ...outer, ...labels }) as Labels, [outer, labels]);
  const shown = isShown(task) ? <Frame {...props} task={task} runs /> : <Own {...props} of={task} agent={agent} />;
  return <LabelsContext.Provider value={all}>{shown}</LabelsContext.Provider>;
}

const isShown = (task: TaskBoardProps["task"]): task is UseTaskReturn => typeof task === "object" && "runner" in task;

type Rest = Omit<TaskBoardProps, "task" | "agent" | "labels">;

function Own({ of, agent, ...props }: Rest & UseTaskConfig & { readonly of: Parameters<typeof useTask>[0] }): ReactNode {
  const task = useTask(of, { agent });
  return (
    <Frame {...props} task={task} runs={agent !== undefined || (typeof of === "object" && ("run" in of || "client" in of))} />
  );
}

interface FrameProps extends Rest {
  readonly task: UseTaskReturn;
  /** It can be run here. */
  readonly runs: boolean;
}

function Frame({ task, runs, start, markdown = true, unstyled, nonce, className, style }: FrameProps): ReactNode {
  const say = useLabels();
  const [path, open] = useState<string>();
  const opener = useRef<HTMLElement | null>(null);
  const Markdown = useMarkdown(markdown);
  const Text = useMemo(
    () =>
      function Text({ text }: { readonly text: string }): ReactNode {
        return Markdown ? <Markdown text={text} streaming={false} /> : <p data-glove-text="">{text}</p>;
      },
    [Markdown],
  );
  const board = useMemo((): Board => ({ task, open, Text }), [task, Text]);
  const close = () => {
    open(undefined);
    opener.current?.focus();
  };
  const { state, status, error } = task;
  return (
    <BoardContext.Provider value={board}>
      <section
        aria-label={say("Task")}
        aria-busy={status === "loading"}
        className={className}
        style={style}
        data-glove-look={unstyled ? undefined : ""}
        data-glove-board=""
        onClickCapture={(event) => {
          // The dialog is outside of what was pressed to open it.
          if (path === undefined) opener.current = event.target instanceof Element ? event.target.closest("button") : null;
        }}
      >
        {!unstyled && <Sheet nonce={nonce} css={css} />}
        {!unstyled && <Sheet nonce={nonce} css={own} />}
        {error && (
          <div role="alert" data-glove-role="error">
            <p>
              <Name of={error.message} lines />
            </p>
            <div data-glove-actions="">
              <button type="button" onClick={task.dismissError}>
                {say("Dismiss")}
              </button>
            </div>
          </div>
        )}
        {status === "loading" && !error && <p data-glove-quiet="">{say("Loading the task…")}</p>}
        {status === "missing" && <Missing task={task} start={start} />}
        {status === "missing" && task.files.length > 0 && <Files />}
        {state && (
          <>
            <Head state={state} runs={runs} />
            <Phases state={state} />
            <div data-glove-columns="">
              <div>
                {state.pending.length > 0 && <Questions pending={state.pending} plan={state.plan?.plan} />}
                <Result state={state} />
                {/* The question about it shows it. */}
                {!state.pending.some(({ type }) => type === "plan") && <Plan state={state} />}
              </div>
              <div>
                <Files />
                <Activity events={task.events} plan={state.plan?.plan} />
              </div>
            </div>
          </>
        )}
        {path !== undefined && <Viewer key={path} path={path} close={close} />}
      </section>
    </BoardContext.Provider>
  );
}

function Missing({ task, start }: { readonly task: UseTaskReturn; readonly start: TaskSpec | string | undefined }): ReactNode {
  const say = useLabels();
  return (
    <div data-glove-missing="">
      {start === undefined ? (
        <p data-glove-quiet="">{say("There is no task here yet.")}</p>
      ) : (
        <>
          <h2>
            <Name of={typeof start === "string" ? start : start.goal} lines />
          </h2>
          <div data-glove-actions="">
            <button type="button" data-glove-primary="" disabled={task.busy} onClick={() => void task.start(start)}>
              {say("Start")}
            </button>
          </div>
        </>
      )}
    </div>
  );
}

let loaded: ComponentType<TextRenderProps> | undefined;
let loading = false;
const waiting = new Set<() => void>();

function load(listener: () => void): () => void {
  waiting.add(listener);
  if (!loading) {
    loading = true;
    import("../../react/markdown/index.js").then(
      ({ Markdown }) => {
        loaded = Markdown;
        for (const tell of waiting) tell();
      },
      // Texts stay as they are written.
      () => {},
    );
  }
  return () => void waiting.delete(listener);
}

const never = () => () => {};

/** What draws markdown; nothing where texts are shown as they are, or until it is loaded. */
function useMarkdown(wanted: ComponentType<TextRenderProps> | boolean): ComponentType<TextRenderProps> | undefined {
  const builtIn = useSyncExternalStore(
    wanted === true ? load : never,
    () => loaded,
    () => undefined,
  );
  return typeof wanted === "boolean" ? (wanted ? builtIn : undefined) : wanted;
}
