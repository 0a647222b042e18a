// The demo is a plain Vite application; it finds the package by its name because it lies inside it.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { chatEndpoint, foundProvider, noEndpoint } from "./endpoint.js";

export default defineConfig(({ command }) => {
  const provider = command === "serve" ? foundProvider() : undefined;
  return {
    root: fileURLToPath(new URL(".", import.meta.url)),
    server: { fs: { allow: [".."] } },
    define: { "import.meta.env.DEMO_ENDPOINT": JSON.stringify(provider ?? null) },
    plugins: [provider ? chatEndpoint(provider) : noEndpoint()],
  };
});
