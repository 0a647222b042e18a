// `defineTool`: a tool whose types come from its schemas.

import type {
  ApprovalRule,
  BuiltInInfo,
  BuiltInQuestions,
  IGloveRunnable,
  SeveralQuestions,
  SlotRenderProps,
  ToolConfig,
  ToolDisplay,
  ToolResultRenderProps,
} from "../ports/tool.js";
import type { InferInput, InferOutput, Schema } from "../schema/types.js";
import type { EnhancedSlot } from "../snapshot/snapshot.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { check } from "../values/validate-options.js";
import type { ToolResultData } from "../wire/record.js";
import type { Issue } from "../wire/run-types.js";
import { checkTool } from "./options.js";

/** The display of a tool made by `defineTool`: its own renderer, or a ready-made one by name. */
export interface TypedDisplay<D, R = void> extends Omit<ToolDisplay, "pushAndWait" | "pushAndForget"> {
  pushAndWait<Q extends keyof BuiltInQuestions>(input: BuiltInQuestions[Q], renderer: Q): Promise<string>;
  pushAndWait(input: SeveralQuestions, renderer: "questions"): Promise<(string | string[] | null)[]>;
  pushAndWait(input: D): Promise<R>;
  pushAndForget(input: BuiltInInfo, renderer: "info"): Promise<string>;
  pushAndForget(input: D): Promise<string>;
}

/** What the answer to a tool's own renderer is without a `resolveSchema`: nothing that can be read. Add one to the tool. */
// biome-ignore lint/suspicious/noConfusingVoidType: so it fits `TypedDisplay<D>`, whose answer is `void`.
export type NoResolveSchema = void & { readonly "add a `resolveSchema` to the tool to read its answer": never };

/** A tool of `defineTool`: what it is called, which arguments it gets, and what it gives the screen. */
export interface DefinedTool<N extends string, I, D> extends ToolConfig<I> {
  readonly name: N;
  /** For types alone: it is never there. */
  readonly "~calls"?: { readonly name: N; readonly input: Serialized<I>; readonly renderData: D };
}

/** As it comes out of the record, which is JSON. */
export type Serialized<T> = T extends { toJSON(): infer J } ? J : T extends object ? { [K in keyof T]: Serialized<T[K]> } : T;

/** What an `undo` is told of what `do` gave: the data of its successes. */
type DataOf<O> = unknown extends O
  ? // biome-ignore lint/suspicious/noExplicitAny: nothing is known of it.
    any
  : O extends { readonly status: "success"; readonly data: infer Data }
    ? Serialized<Data>
    : O extends { readonly status: "error" | "aborted" }
      ? never
      : O extends ToolResultData
        ? // biome-ignore lint/suspicious/noExplicitAny: what it was declared as says nothing of it.
          any
        : undefined extends O
          ? null
          : Serialized<O>;

/** What `do` put into `renderData`; unknown where `do` says nothing of it. */
type RenderDataOf<O, D = RenderDataIn<O>> = [D] extends [never] ? unknown : D;
type RenderDataIn<O> = O extends { readonly renderData: infer Data } ? Serialized<Data> : never;

/** What JSON does not hold. */
// biome-ignore lint/suspicious/noExplicitAny: whatever they hold.
type NotJson = Date | bigint | symbol | ReadonlyMap<any, any> | ReadonlySet<any> | ((...all: any[]) => unknown);

/** No JSON is such a value. It is not looked at forever: a schema may contain itself. */
type NeverJson<T, Depth extends 0[] = []> = unknown extends T
  ? false
  : [T] extends [never]
    ? false
    : [T] extends [NotJson]
      ? true
      : Depth["length"] extends 4
        ? false
        : T extends readonly (infer One)[]
          ? NeverJson<One, [...Depth, 0]>
          : T extends object
            ? true extends { [K in keyof T]-?: IsTrue<NeverJson<Exclude<T[K], undefined>, [...Depth, 0]>> }[keyof T]
              ? true
              : false
            : false;
type IsTrue<T> = [T] extends [true] ? true : false;

/** A schema whose input a model can write. */
export type WritableByModel<I> =
  IsTrue<NeverJson<InferInput<I>>> extends true
    ? {
        readonly "a model writes JSON, which has no Date, bigint, Map or Set: take a string and convert it, as z.coerce.date() does": never;
      }
    : unknown;

/** What `defineTool` takes. */
export interface ToolDefinition<I extends Schema, D extends Schema, R extends Schema, O = unknown, N extends string = string>
  extends Omit<
    ToolConfig<InferOutput<I>>,
    | "name"
    | "inputSchema"
    | "displayPropsSchema"
    | "resolveSchema"
    | "title"
    | "confirm"
    | "do"
    | "undo"
    | "render"
    | "renderResult"
    | "requiresPermission"
    | "requireApproval"
  > {
  readonly name: N;
  readonly inputSchema: I & WritableByModel<I>;
  readonly displayPropsSchema?: D;
  readonly resolveSchema?: R;
  readonly title?: string | ((input: InferOutput<I>) => string);
  readonly confirm?: string | ((input: InferOutput<I>) => string);
  readonly requiresPermission?: boolean | ((input: InferOutput<I>) => Maybe<boolean>);
  readonly requireApproval?: boolean | ApprovalRule | ((input: InferOutput<I>) => Maybe<boolean | ApprovalRule>);
  do(
    input: InferOutput<I>,
    display: TypedDisplay<InferInput<D>, InferOutput<R>>,
    agent?: IGloveRunnable,
    signal?: AbortSignal,
  ): Maybe<O | ToolResultData>;
  undo?(
    input: InferOutput<I>,
    result: DataOf<O>,
    display: TypedDisplay<InferInput<D>, InferOutput<R>>,
    agent?: IGloveRunnable,
    signal?: AbortSignal,
  ): unknown;
  render?(props: TypedRenderProps<InferOutput<D>, InferInput<R>, InferOutput<R>>): unknown;
  renderResult?(props: ToolResultRenderProps<RenderDataOf<O>>): unknown;
}

/** What the renderer of a tool made by `defineTool` gets. `data` is `props` by the raw tools' name. */
export interface TypedRenderProps<D, R, A = R> {
  readonly props: D;
  readonly data: D;
  /** Says whether the answer was taken. A schema that decides later has taken it. */
  resolve(value: R): boolean;
  reject(reason?: string): void;
  /** A slot that stays is drawn when it was answered too. */
  readonly status?: EnhancedSlot["status"];
  /** What was answered, as JSON, also after a reload; never a secret. */
  readonly answer?: A;
  /** Why the last answer was refused. Shown below the slot unless the component displays it. */
  readonly error?: string;
  /** The same for each place in the answer: `issues?.find(({ path }) => path[0] === "email")?.message`. */
  readonly issues?: readonly Issue[];
}

/** By it the view knows whose hooks are called, and a session two definitions that are one: all functions from here have the same text. */
const saying = <F extends object>(what: object, wrapped: F): F => Object.assign(wrapped, { toString: () => String(what) });

/**
 * A tool with its types inferred from its schemas: the input of `do`, what it may show, what the person answers, and the
 * props of `render`. Gives a `ToolConfig` by which clients type the calls that they show.
 */
export function defineTool<
  I extends Schema,
  D extends Schema = Schema,
  R extends Schema = Schema<void, NoResolveSchema>,
  O = unknown,
  const N extends string = string,
>(definition: ToolDefinition<I, D, R, O, N>): DefinedTool<N, InferOutput<I>, RenderDataOf<O>> {
  const { do: work, undo, render, ...rest } = check("The argument of `defineTool`", definition, "object", "TOOL_INVALID");
  checkTool(definition);
  const typed = (display: ToolDisplay) =>
    new Proxy(display, {
      get(_, name) {
        if (name === "pushAndWait") return (input: unknown, renderer?: string) => display.pushAndWait({ input, renderer });
        if (name === "pushAndForget") return (input: unknown, renderer?: string) => display.pushAndForget({ input, renderer });
        const value: unknown = Reflect.get(display, name, display);
        return typeof value === "function" ? value.bind(display) : value;
      },
    }) as object as TypedDisplay<InferInput<D>, InferOutput<R>>;
  return {
    ...rest,
    do: saying(work, (input: InferOutput<I>, display: ToolDisplay, agent?: IGloveRunnable, signal?: AbortSignal) =>
      work.call(definition, input, typed(display), agent, signal),
    ),
    ...(undo && {
      undo: saying(
        undo,
        (input: InferOutput<I>, result: unknown, display: ToolDisplay, agent?: IGloveRunnable, signal?: AbortSignal) =>
          undo.call(definition, input, result as DataOf<O>, typed(display), agent, signal),
      ),
    }),
    ...(render && {
      render: saying(render, (props: SlotRenderProps) =>
        render({ props: props.data, ...props } as TypedRenderProps<InferOutput<D>, InferInput<R>, InferOutput<R>>),
      ),
    }),
  } as DefinedTool<N, InferOutput<I>, RenderDataOf<O>>;
}
