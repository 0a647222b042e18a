import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
/* @if node */
import { chat } from "./server/chat.ts";
/* @end */

/* @if node */
export default defineConfig({
  plugins: [
    react(),
    // While you write the app, Vite's own server answers for the endpoint; `server/index.ts` does in production.
    {
      name: "chat",
      configureServer: ({ middlewares }) => {
        middlewares.use("/api/chat", chat);
      },
    },
  ],
});
/* @else */
export default defineConfig({ plugins: [react()] });
/* @end */
