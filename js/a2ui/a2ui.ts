// `a2ui`: a plugin whose tools show what a model composes of the application's components, and the renderer that draws it.

import { createElement, type ReactNode } from "react";
import type { SlotProps } from "../react/renderers/props.js";
import type { Plugin, PluginRound } from "../src/ports/plugin.js";
import type { ToolConfig, ToolDisplay } from "../src/ports/tool.js";
import type { JsonSchema } from "../src/schema/types.js";
import { check, checkOptions, type Options } from "../src/values/validate-options.js";
import type { Message } from "../src/wire/record.js";
import { type Calls, checkFunctions, hasCalls, type SurfaceFunctions, toldOfFunctions } from "./calls.js";
import { type Catalog, checkCatalog, surfaceSchema } from "./catalog.js";
import { loadCalls } from "./load-calls.js";
import { type SurfaceAction, type SurfaceCall, showTool, surfaceIn, updated, updateTool } from "./shown.js";
import { hasAction, placed, problemsOf, type Rules, type Surface } from "./surface.js";
import { SurfaceCard } from "./surface-card.js";
import { WrittenSurface, type WrittenSurfaceOf } from "./written-surface.js";

/** What `a2ui` takes. */
export interface A2uiOptions {
  /** The components that a model may compose, by name. `definePart` gives each the types of its schema. */
  readonly catalog: Catalog;
  /** Functions of the application, beside those of A2UI's basic catalogue. `defineFunction` gives each the types of its schema. */
  readonly functions?: SurfaceFunctions | undefined;
  /**
   * What an action of the person becomes: `"answer"` is the result of the call, which waits for it; `"message"` is the next message of the
   * person. Default: `"answer"`.
   */
  readonly actions?: "answer" | "message" | undefined;
  /** The message of an action; default: its name, the surface, and the context as JSON. */
  readonly messageOf?: ((action: SurfaceAction) => string) | undefined;
  /** The sites whose addresses may be in properties, such as `https://shop.example`; the page's own always may. Default: none. */
  readonly origins?: readonly string[] | undefined;
  /** The letters that the components and data of a surface may have; default 100,000. */
  readonly maxLetters?: number | undefined;
  /** The components that a surface may draw, each row of a list for itself; default 500. */
  readonly maxComponents?: number | undefined;
}

const options = {
  catalog: "any",
  functions: "any",
  actions: "answer|message",
  messageOf: "work",
  origins: "any",
  maxLetters: "count",
  maxComponents: "count",
} as const satisfies Options<A2uiOptions>;

const surfaceRenderer = "a2ui_surface";

/**
 * Components of the application that a model composes, in the form of A2UI 0.9, drawn in the card of the call:
 * `plugins: [ui]` of a client, and `<GloveProvider renderers={ui.renderers}>`.
 */
export function a2ui(given: A2uiOptions): A2ui {
  check("The options", given, "object");
  checkOptions(given, options);
  checkCatalog(given.catalog);
  checkFunctions(given.functions ?? {});
  return new A2ui(given);
}

type A2uiRenderers = Readonly<Record<"a2ui_surface" | WrittenSurfaceOf, (props: SlotProps) => ReactNode>>;

/** The plugin, and what draws its surfaces. */
export class A2ui implements Plugin {
  readonly id = "glove.a2ui";
  readonly #renderers: A2uiRenderers;
  readonly #rules: Rules;
  readonly #waits: boolean;
  readonly #functions: SurfaceFunctions;
  #calls: Promise<Calls> | undefined;
  #schema: Promise<JsonSchema> | undefined;

  /** @internal */
  constructor({
    catalog,
    functions = {},
    actions = "answer",
    messageOf = messageFor,
    origins = [],
    maxLetters = 100_000,
    maxComponents = 500,
  }: A2uiOptions) {
    this.#rules = { catalog, origins, limits: { letters: maxLetters, drawn: maxComponents } };
    this.#waits = actions === "answer";
    this.#functions = functions;
    const given = { rules: this.#rules, load: () => this.#loaded() };
    this.#renderers = {
      [surfaceRenderer]: (props) => createElement(SurfaceCard, { ...props, ...given, messageOf }),
      "a written call of show_surface": (props) => createElement(WrittenSurface, { ...props, ...given }),
    };
  }

  /** For `renderers` of a provider or a hook. */
  get renderers(): A2uiRenderers {
    return this.#renderers;
  }

  /** Tried again where it did not come. */
  #loaded(): Promise<Calls> {
    this.#calls ??= loadCalls(this.#functions, this.#rules.origins).catch((error) => {
      this.#calls = undefined;
      throw error;
    });
    return this.#calls;
  }

  /** The rules with what a surface calls. */
  async #rulesFor({ components }: Surface): Promise<Rules> {
    return hasCalls(components) ? { ...this.#rules, calls: await this.#loaded() } : this.#rules;
  }

  async #problems(surface: Surface): Promise<readonly string[]> {
    return problemsOf(surface, await this.#rulesFor(surface));
  }

  async prepare(round: PluginRound): Promise<void> {
    this.#schema ??= surfaceSchema(this.#rules.catalog);
    round.tools.add(this.#show(await this.#schema), this.#update(await this.#schema, round));
  }

  #show(jsonSchema: JsonSchema): ToolConfig {
    const afterwards = this.#waits
      ? "If something in it has an `action`, the result is what the person did."
      : "If something in it has an `action`, what the person does comes as their next message.";
    return {
      name: showTool,
      description: `Shows the person an interface of the given components, where that serves better than text. ${afterwards} ${toldOfFunctions(this.#functions)}`,
      jsonSchema,
      inputSchema: checked((input) => this.#problems(surfaceFrom(input))),
      // It does nothing but show, and ask.
      idempotent: true,
      parallel: true,
      do: async (input: { readonly surface: string }, display: ToolDisplay) => {
        const surface = surfaceFrom(input);
        const { root } = placed(surface, await this.#rulesFor(surface));
        const slot = { renderer: surfaceRenderer, input: { surface: input.surface, call: display.callId, waits: this.#waits } };
        if (this.#waits && root && hasAction(root)) return display.pushAndWait(slot);
        await display.pushAndForget({ ...slot, input: { ...slot.input, waits: false } });
        return "It is shown.";
      },
    };
  }

  #update(schema: JsonSchema, { conversation }: PluginRound): ToolConfig {
    const { properties } = schema as { readonly properties: Readonly<Record<string, JsonSchema>> };
    return {
      name: updateTool,
      description: "Changes a surface that is shown: values by their JSON Pointers, and components by their ids.",
      jsonSchema: {
        type: "object",
        properties: {
          surface: properties.surface,
          data: { type: "object", description: 'The new values, such as { "/price": 9 }.' },
          components: {
            ...properties.components,
            description: "Components that are new, or take the place of those with their ids.",
          },
        },
        required: ["surface"],
      },
      inputSchema: checked(async (input) => {
        const surface = surfaceIn(callsIn(await conversation.messages()), { name: input.surface });
        if (!surface) return [`no surface "${input.surface}" was shown`];
        try {
          return await this.#problems(updated(surface, input));
        } catch (error) {
          return [(error as Error).message];
        }
      }),
      idempotent: true,
      do: () => "It is changed.",
    };
  }
}

type Input = Readonly<Record<string, unknown>> & { readonly surface: string };

function surfaceFrom(input: unknown): Surface {
  const { components, data } = Object(input) as Partial<Surface>;
  return { components: Array.isArray(components) ? components : [], data: data ?? {} };
}

/** A schema that says in sentences what is wrong. */
function checked(problems: (input: Input) => Promise<readonly string[]>): NonNullable<ToolConfig["inputSchema"]> {
  return {
    "~standard": {
      version: 1,
      vendor: "glove-wasm",
      validate: async (value: unknown) => {
        const { surface } = Object(value) as { readonly surface?: unknown };
        if (typeof surface !== "string" || surface === "" || surface.length > 64)
          return { issues: [{ message: "`surface` is a name of 1 to 64 letters" }] };
        const found = await problems(value as Input);
        return found.length > 0 ? { issues: found.map((message) => ({ message })) } : { value };
      },
    },
  };
}

/** The calls of the two tools, as the record has them. */
function callsIn(messages: readonly Message[]): SurfaceCall[] {
  const results = new Map(
    messages.flatMap(({ tool_results = [] }) => tool_results.map(({ call_id, result }) => [call_id, result] as const)),
  );
  return messages.flatMap(({ tool_calls = [] }) =>
    tool_calls.flatMap(({ id = "", tool_name, input_args }): SurfaceCall[] => {
      if (tool_name !== showTool && tool_name !== updateTool) return [];
      const result = results.get(id);
      if (result?.status !== "success") return [];
      const { data: left } = Object(result.data) as { readonly data?: unknown };
      return [{ id, kind: tool_name === showTool ? "show" : "update", input: input_args, left }];
    }),
  );
}

function messageFor({ surface, action, context }: SurfaceAction): string {
  const what = `${action} (${surface})`;
  return Object.keys(Object(context)).length > 0 ? `${what}: ${JSON.stringify(context)}` : what;
}
