// Writes `sw.js` into the build: the service worker of src/sw.js, with the names of all files and a version made of them.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

export const precache = (): Plugin => ({
  name: "precache",
  apply: "build",
  generateBundle: {
    order: "post",
    handler(_, bundle) {
      const files = ["./", "./manifest.webmanifest", "./icon.svg", ...Object.keys(bundle).map((file) => `./${file}`)];
      const hash = createHash("sha256");
      for (const file of Object.values(bundle)) hash.update(file.type === "chunk" ? file.code : file.source);
      const worker = readFileSync(join(import.meta.dirname, "src/sw.js"), "utf8");
      const source = worker.replace("VERSION", hash.digest("hex").slice(0, 12)).replace('["FILES"]', JSON.stringify(files));
      this.emitFile({ type: "asset", fileName: "sw.js", source });
    },
  },
});
