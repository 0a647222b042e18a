// Vite serves the page, starts the server beside it, and passes on what is asked of that one.
import { spawn } from "node:child_process";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  server: { proxy: { "/api": "http://127.0.0.1:3001" } },
  plugins: [
    {
      name: "server",
      configureServer: ({ httpServer }) => {
        const server = spawn(process.execPath, ["server/server.mjs"], { cwd: import.meta.dirname, stdio: "inherit" });
        httpServer?.once("close", () => server.kill());
        process.once("exit", () => server.kill());
      },
    },
  ],
});
