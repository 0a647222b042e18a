// All that the doctor looks at. A finding has a level ("wrong", or "note" for what may be meant so), a code, a message and a mend.
import { readApp } from "./app.mjs";
import { endpoint } from "./endpoint.mjs";
import { keys } from "./keys.mjs";
import { models } from "./models.mjs";
import { packages } from "./packages.mjs";
import { policies } from "./policies.mjs";

export async function examine(folder, { url, offline = false, env, today, fetch }) {
  const app = readApp(folder, env);
  const found = [...packages(app), ...policies(app), ...keys(app), ...(await models(app, { offline, today, fetch }))];
  return url === undefined ? found : [...found, ...(await endpoint(url, fetch))];
}
