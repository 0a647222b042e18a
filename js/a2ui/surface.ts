// A surface as a tree, and what is wrong with one, in sentences for the model.

import { checkWithSchema, issuesText } from "../src/schema/check.js";
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
  readonly action: { readonly name: string; readonly context: unknown } | undefined;
}

export interface SurfaceLimits {
  readonly letters: number;
  /** Components that are drawn, each row of a list for itself. */
  readonly drawn: number;
}

export interface Rules {
  readonly catalog: Catalog;
  readonly origins: readonly string[];
  readonly limits: SurfaceLimits;
}

const deepest = 40;
/** So many sentences a model reads at once. */
const mostProblems = 8;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** The tree, as far as it can be built. */
export function placed(
  { components, data }: Surface,
  { catalog, limits }: Rules,
): { readonly root?: Placed; readonly problems: string[] } {
  const problems: string[] = [];
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
    if (problems.length >= mostProblems) return undefined;
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
        value: resolved(value, data, scope),
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
    const { event } = Object(given.action) as { readonly event?: unknown };
    const action = given.action === undefined ? undefined : isFields(event) && typeof event.name === "string" ? event : null;
    if (action === null) wrong(`\`action\` of "${id}" needs an \`event\` with a \`name\``);
    return {
      key,
      id,
      part,
      props,
      paths,
      children,
      action: action ? { name: String(action.name), context: resolved(action.context, data, scope) } : undefined,
    };
  };
  const root = place("root", "", [], "root");
  return { ...(root && { root }), problems };
}

function boundTo(value: unknown, scope: string): string | undefined {
  if (!isFields(value) || typeof value.path !== "string" || Object.keys(value).length !== 1) return undefined;
  return pathIn(scope, value.path);
}

function resolved(value: unknown, data: unknown, scope: string): unknown {
  const path = boundTo(value, scope);
  if (path !== undefined) return readAt(data, path);
  if (Array.isArray(value)) return value.map((one) => resolved(one, data, scope));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, data, scope)]));
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

/** Whether a person can do anything with it. */
export const hasAction = (root: Placed): boolean => flat(root).some(({ action }) => action !== undefined);

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
