// The demo is a plain Vite application; it finds the package by its name because it lies inside it.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  server: { fs: { allow: [".."] } },
});
