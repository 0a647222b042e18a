// Which package manager started us, and its words.

/** Each tells its name first in `npm_config_user_agent`. */
export function commands(userAgent = "") {
  const name = /^(npm|pnpm|yarn|bun)\//.exec(userAgent)?.[1] ?? "npm";
  return { install: `${name} install`, run: name === "npm" || name === "bun" ? `${name} run` : name };
}
