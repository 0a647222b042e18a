// A surface as a tree, and what is wrong with one, in sentences for the model.

import { checkWithSchema, issuesText } from "../src/schema/check.js";
import { type Calls, callOf } from "./calls.js";
import { type Catalog, type Part, reserved } from "./catalog.js";
import { pathIn, readAt } from "./data.js";
import { unsafe } from "./safe.js";

/** What a model writes. Nobody has checked it. */
export interface Surface {
  readonly components: readonly unknown[];
  readonly data: unknown;
}

/** A component in its place. */
export interface Placed {
  readonly key: string;
  readonly id: string;
  readonly part: string;
  readonly props: Readonly<Record<string, unknown>>;
  /** The paths of the properties that are bound. */
  readonly paths: Readonly<Record<string, string>>;
  readonly children: readonly Placed[];
  readonly action: PlacedAction | undefined;
  /** The messages of its checks that fail. */
  readonly errors: readonly string[];
}

/** The model is told of an event; anything else is done in the page. */
export type PlacedAction = { readonly name: string; readonly context: unknown } | { readonly does: () => unknown };

export interface SurfaceLimits {
  readonly letters: number;
  /** Components that are drawn, each row of a list for itself. */
  readonly drawn: number;
}

export interface Rules {
  readonly catalog: Catalog;
  readonly origins: readonly string[];
  readonly limits: SurfaceLimits;
  /** Missing where the surface has no calls. */
  readonly calls?: Calls | undefined;
}

const deepest = 40;
/** So many sentences a model reads at once. */
const mostProblems = 8;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** The tree, as far as it can be built. To be `drawn`, it goes on however much is wrong: a person may have entered it, or it may yet come. */
export function placed(
  { components, data }: Surface,
  { catalog, limits, calls }: Rules,
  drawn = false,
): { readonly root?: Placed; readonly problems: string[] } {
  const problems: string[] = [];
  /** What stands there for a value; missing where a call fails, which is said. */
  const evaluated = (id: string, value: unknown, scope: string): unknown => {
    try {
      return resolved(value, data, scope, calls);
    } catch (error) {
      problems.push(`"${id}": ${(error as Error).message}`);
      return undefined;
    }
  };
  const byId = new Map<string, Fields>();
  for (const [at, given] of components.entries()) {
    const id = isFields(given) ? given.id : undefined;
    if (!isFields(given) || typeof id !== "string" || id === "") problems.push(`component ${at + 1} has no \`id\``);
    else if (byId.has(id)) problems.push(`two components have the id "${id}"`);
    else byId.set(id, given);
  }
  let count = 0;
  const place = (id: string, scope: string, around: readonly string[], key: string): Placed | undefined => {
    const wrong = (what: string): undefined => void problems.push(what);
    if (problems.length >= mostProblems && !drawn) return undefined;
    const given = byId.get(id);
    if (!given) return wrong(`no component has the id "${id}"${around.length > 0 ? `, which "${around.at(-1)}" names` : ""}`);
    if (around.includes(id))
      return wrong(`"${id}" is inside of itself: ${[...around.slice(around.indexOf(id)), id].join(" → ")}`);
    if (around.length >= deepest) return wrong(`"${id}" is more than ${deepest} levels deep`);
    count += 1;
    if (count > limits.drawn)
      return count === limits.drawn + 1 ? wrong(`it has more than ${limits.drawn} components`) : undefined;
    const part = given.component;
    if (typeof part !== "string" || !Object.hasOwn(catalog, part))
      return wrong(
        `"${id}" is a "${String(part).slice(0, 64)}", which is not in the catalogue: ${Object.keys(catalog).join(", ")}`,
      );
    const paths: Record<string, string> = {};
    const props: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given)) {
      if (reserved.includes(name)) continue;
      const path = boundTo(value, scope);
      if (path !== undefined) paths[name] = path;
      Object.defineProperty(props, name, {
        value: evaluated(id, value, scope),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    const within = [...around, id];
    const children = childrenOf(given, data, scope).flatMap((child) => {
      if ("wrong" in child) return wrong(`\`children\` of "${id}": ${child.wrong}`) ?? [];
      return place(child.id, child.scope, within, `${key}/${child.key}`) ?? [];
    });
    const action = actionOf(given, (value) => evaluated(id, value, scope), calls);
    if (action && "wrong" in action) wrong(`\`action\` of "${id}": ${action.wrong}`);
    const checks = checksOf(given, (value) => evaluated(id, value, scope));
    if ("wrong" in checks) wrong(`\`checks\` of "${id}": ${checks.wrong}`);
    return {
      key,
      id,
      part,
      props,
      paths,
      children,
      action: action && "wrong" in action ? undefined : action,
      errors: "wrong" in checks ? [] : checks.errors,
    };
  };
  const root = place("root", "", [], "root");
  return { ...(root && { root }), problems };
}

function boundTo(value: unknown, scope: string): string | undefined {
  if (!isFields(value) || typeof value.path !== "string" || Object.keys(value).length !== 1) return undefined;
  return pathIn(scope, value.path);
}

function resolved(value: unknown, data: unknown, scope: string, calls: Calls | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  const path = boundTo(value, scope);
  if (path !== undefined) return readAt(data, path);
  const inside = (one: unknown) => resolved(one, data, scope, calls);
  if (Array.isArray(value)) return value.map(inside);
  const called = calls && callOf(value);
  if (called) return calls.value(called.call, inside(called.args) as Fields, inside);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inside(one)]));
}

type Evaluate = (value: unknown) => unknown;

function actionOf(
  { action }: Fields,
  evaluate: Evaluate,
  calls: Calls | undefined,
): PlacedAction | { readonly wrong: string } | undefined {
  if (action === undefined) return undefined;
  const { event, functionCall } = Object(action) as Fields;
  if (isFields(event) && typeof event.name === "string") return { name: event.name, context: evaluate(event.context) };
  const called = isFields(functionCall) ? callOf(functionCall) : undefined;
  if (!called || !calls) return { wrong: "it needs an `event` with a `name`, or a `functionCall` with a `call`" };
  try {
    return { does: calls.act(called.call, evaluate(called.args) as Fields) };
  } catch (error) {
    return { wrong: (error as Error).message };
  }
}

function checksOf({ checks = [] }: Fields, evaluate: Evaluate): { readonly errors: string[] } | { readonly wrong: string } {
  if (!Array.isArray(checks)) return { wrong: "they are no list" };
  const errors: string[] = [];
  for (const [at, one] of checks.entries()) {
    const { condition, message } = Object(one) as Fields;
    if (condition === undefined || typeof message !== "string")
      return { wrong: `number ${at + 1} needs a \`condition\` and a \`message\`` };
    // What cannot be told is not well.
    if (evaluate(condition) !== true) errors.push(message);
  }
  return { errors };
}

type Child = { readonly id: string; readonly scope: string; readonly key: string } | { readonly wrong: string };

function childrenOf({ child, children }: Fields, data: unknown, scope: string): Child[] {
  const one: Child[] =
    child === undefined ? [] : typeof child === "string" ? [{ id: child, scope, key: child }] : [{ wrong: "`child` is no id" }];
  if (children === undefined) return one;
  if (Array.isArray(children))
    return [
      ...one,
      ...children.map((id, at) =>
        typeof id === "string" ? { id, scope, key: `${at}.${id}` } : { wrong: `number ${at + 1} is no id` },
      ),
    ];
  const { componentId, path } = Object(children) as Fields;
  if (typeof componentId !== "string" || typeof path !== "string")
    return [...one, { wrong: "neither ids, nor a `componentId` with a `path`" }];
  const list = pathIn(scope, path);
  const rows = readAt(data, list);
  if (!Array.isArray(rows)) return [...one, { wrong: `there is no list at "${list}"` }];
  return [...one, ...rows.map((_, at) => ({ id: componentId, scope: `${list}/${at}`, key: `${at}.${componentId}` }))];
}

const flat = (one: Placed): readonly Placed[] => [one, ...one.children.flatMap(flat)];

/** Whether a person can do anything that the model is told of. */
export const hasAction = (root: Placed): boolean => flat(root).some(({ action }) => action && "name" in action);

/** What is wrong with it; nothing where it can be drawn. */
export async function problemsOf(surface: Surface, rules: Rules): Promise<string[]> {
  const { letters } = rules.limits;
  if (JSON.stringify([surface.components, surface.data ?? null]).length > letters)
    return [`it has more than ${letters} letters. Show less of it, or several smaller ones`];
  const { root, problems } = placed(surface, rules);
  for (const { id, part, props } of root ? flat(root) : []) {
    if (problems.length >= mostProblems) break;
    const why = unsafe(props, rules.origins);
    if (why) problems.push(`"${id}" (${part}): ${why}`);
    const checked = await checkWithSchema((rules.catalog[part] as Part).schema, props);
    if ("issues" in checked) problems.push(`"${id}" (${part}): ${issuesText(checked.issues)}`);
  }
  return [...new Set(problems)].slice(0, mostProblems);
}
