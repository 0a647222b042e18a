// Which request wants what of which task.
import { Refused, refuse } from "../../server/refuse.js";

export type TaskRoute =
  | { readonly does: "start" | "do" | "list" }
  | { readonly does: OfTask; readonly id: string }
  | { readonly does: "decide"; readonly id?: string; readonly request: string };

const ofTask = {
  "": { GET: "state" },
  events: { GET: "events" },
  result: { GET: "result" },
  files: { GET: "files" },
  file: { GET: "file", POST: "edit" },
  stop: { POST: "stop" },
  resume: { POST: "resume" },
  upload: { POST: "upload" },
} as const;

type OfTask = "state" | "events" | "result" | "files" | "file" | "edit" | "stop" | "resume" | "upload";

/** The ends of paths, whatever comes before them: `…/tasks`, `…/tasks/do`, `…/tasks/{id}/events`, `…/approvals/{id}/decision`. */
export function routeOf({ method, url }: Request): TaskRoute {
  const { pathname } = new URL(url);
  const decided = /\/approvals\/([\w-]+)\/decision$/.exec(pathname);
  if (decided) {
    only("POST", method);
    const of = /\/tasks\/([\w-]{1,64})\/approvals\/[^/]*\/decision$/.exec(pathname)?.[1];
    return { does: "decide", request: decided[1] as string, ...(of && { id: of }) };
  }
  if (/\/tasks\/do(\/async)?$/.test(pathname)) {
    only("POST", method);
    return { does: pathname.endsWith("async") ? "start" : "do" };
  }
  if (/\/tasks$/.test(pathname)) {
    only("GET", method);
    return { does: "list" };
  }
  const [, id, what = ""] = /\/tasks\/([\w-]{1,64})(?:\/(\w+))?$/.exec(pathname) ?? [];
  if (!id || !Object.hasOwn(ofTask, what)) refuse(404, "NOT_FOUND", "There is nothing at this address.");
  const known: Readonly<Partial<Record<string, OfTask>>> = ofTask[what as keyof typeof ofTask];
  const does = Object.hasOwn(known, method) ? known[method] : undefined;
  if (!does) throw new NotAllowed(Object.keys(known).join(", "));
  return { does, id };
}

/** As addresses may have them. */
export const isTaskId = (id: string): boolean => /^[\w-]{1,64}$/.test(id);

export class NotAllowed extends Refused {
  constructor(readonly allowed: string) {
    super({ status: 405, code: "METHOD_NOT_ALLOWED", message: `This address accepts only ${allowed}.` });
  }
}

function only(allowed: string, method: string): void {
  if (method !== allowed) throw new NotAllowed(allowed);
}
