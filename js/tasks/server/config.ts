// What a task handler is made with.

import type { Maybe } from "../../src/timing/sync-or-promise.js";
import type { GloveError } from "../../src/values/error.js";
import type { TaskSpec } from "../../src/wire/task-types.js";
import type { TaskAgent } from "../agent.js";
import type { TaskWorkspace } from "../workspaces/workspace.js";

/** Answers a request. Never rejects: errors are in the response. */
export type TaskHandler = (request: Request) => Promise<Response>;

/** The options of a task handler. */
export interface TaskHandlerConfig {
  /** Works on the tasks. A function chooses one for each caller. */
  readonly agent: TaskAgent | ((owner: string) => Maybe<TaskAgent>);
  /** The workspace of a task: the same files for the same id and owner. Ids are made by the handler, of letters, digits and `-`. */
  readonly workspace: (id: string, owner: string) => Maybe<TaskWorkspace>;
  /**
   * Whether this request is answered. `true` is the only yes. A `Response` is sent as it is, anything else is a 401, an exception a 403.
   * Must not read the body.
   */
  readonly authorize?: ((request: Request) => Maybe<boolean | Response | null | undefined>) | undefined;
  /** Milliseconds `authorize` may take before the request is refused with a 503; default 30,000, 0 for no limit. */
  readonly authorizeMs?: number | undefined;
  /** Who calls, such as the id of a user: it is given to `workspace`, and stands in decisions. */
  readonly owner?: ((request: Request) => Maybe<string>) | undefined;
  /**
   * What becomes of a task that a client wants, before it starts: other budgets, say. Throwing refuses it. What a person approves, and whose
   * task it is, are never the client's to say: `approvals`, `user_id` and `seed_messages` may be set here.
   */
  readonly task?: ((wanted: TaskSpec, owner: string) => Maybe<TaskSpec>) | undefined;
  /**
   * The ids of an owner's tasks, the newest first, for `GET …/tasks`: `listTaskFolders` gives those of folders. Without it the server says
   * that it lists none.
   */
  readonly list?: ((owner: string) => Maybe<readonly string[]>) | undefined;
  /**
   * What the `stream_token` of a task is signed with, by which its events can be followed for a while without `authorize`: a random text of
   * at least 32 characters, the same on all servers of an application. One of this process by default.
   */
  readonly streamSecret?: string | undefined;
  /** How long a `stream_token` opens the events of its task, in milliseconds; a day by default. Streams that it opened end then, too. */
  readonly streamTokenMs?: number | undefined;
  /** Tasks that run here at once; beyond it a start is refused with 429. Default 100. */
  readonly mostRunning?: number | undefined;
  /** How often files are looked at for events of tasks that run elsewhere; every 500 ms by default. */
  readonly pollMs?: number | undefined;
  /** Milliseconds of silence after which a stream of events says that it is alive; default 15,000, 0 for none. */
  readonly heartbeatMs?: number | undefined;
  /** A larger body is refused with 413. Default 8 MB (8,388,608). */
  readonly bodyBytes?: number | undefined;
  /** The origins whose pages may call, or `"*"`. By default, no CORS headers are sent. */
  readonly cors?: string | readonly string[] | undefined;
  /** Told of every request that was not answered, and of tasks that failed after their request was. */
  readonly onError?: ((error: GloveError, request: Request) => unknown) | undefined;
}
