// What sandboxed code finds in its engine, the same in pages and natively. `host` is the one way out: texts go through it, and each host
// checks them. Code may change the engine's own objects; it harms nobody but itself.
(host, grants, modules, limit, memory) => {
  const { parse, stringify } = JSON;
  const { freeze, defineProperty } = Object;
  const Room = ArrayBuffer;
  const waiting = new Map();
  let last = 0;

  const ask = (name, ...args) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      host(last, name, stringify(args));
    });
  const define = (name, value) => defineProperty(globalThis, name, { value: freeze(value), configurable: true, writable: true });

  const words = (value) => (typeof value === "string" ? value : (stringify(value) ?? String(value)));
  const log = (...args) => host(0, "log", args.map(words).join(" "));
  define("console", { debug: log, error: log, info: log, log, warn: log });

  if (grants.includes("files")) {
    define("files", {
      list: (folder) => ask("list", String(folder)),
      read: (path) => ask("read", String(path)),
      write: (path, content) => ask("write", String(path), String(content)),
    });
  }
  if (grants.includes("fetch")) {
    define("fetch", async (url, { method = "GET", headers = {}, body } = {}) => {
      const sent = Object.entries(headers).map(([name, value]) => [String(name), String(value)]);
      const {
        status,
        headers: got,
        text,
      } = await ask("fetch", String(url), String(method), sent, body === undefined ? null : String(body));
      const received = new Map(got);
      return {
        ok: status >= 200 && status < 300,
        status,
        headers: { get: (name) => received.get(String(name).toLowerCase()) ?? null },
        text: async () => text,
        json: async () => parse(text),
      };
    });
  }

  const isFull = () => {
    try {
      return new Room(memory / 2).byteLength === 0;
    } catch {
      return true;
    }
  };
  const done = (value) => {
    const json = stringify(value) ?? "null";
    if (json.length > limit) host(0, "large", String(json.length));
    else host(0, "done", json);
  };
  const failed = (thrown) => {
    const told = thrown?.name === "InternalError" && thrown.message === "out of memory";
    // The engine throws null where there is no room left for an error, and code may throw it where there is.
    if (told || (thrown === null && isFull())) return host(0, "memory", "");
    if (thrown === null) return host(0, "failed", "it threw null, as code may that runs out of memory and frees it again");
    const where = /tool[^\n]*?:(\d+)/.exec(String(thrown?.stack ?? ""));
    const said = thrown?.message === undefined ? words(thrown) : `${thrown.name}: ${thrown.message}`;
    host(0, "failed", said.slice(0, 2000) + (where ? ` (line ${where[1]})` : ""));
  };

  return {
    run: (input) => {
      import(modules)
        .then((found) => {
          if (typeof found.default !== "function") throw new TypeError("the code has no function as its default export");
          return found.default(parse(input));
        })
        .then(done)
        .catch(failed);
    },
    settle: (id, answer) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      const { ok, error } = parse(answer);
      if (error === undefined) resolve(ok);
      else reject(new Error(error));
    },
  };
};
