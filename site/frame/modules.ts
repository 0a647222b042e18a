// What code in the frame may import, by the names that it has in an app.
import * as glove from "glove-wasm";
import * as gloveReact from "glove-wasm/react";
import * as markdown from "glove-wasm/react/markdown";
import * as skills from "glove-wasm/skills";
import * as testing from "glove-wasm/testing";
import * as react from "react";
import * as jsx from "react/jsx-runtime";
import * as dom from "react-dom";
import * as client from "react-dom/client";
import * as zod from "zod";
import * as preview from "./preview.js";

// Zod tries `eval` otherwise, which the policy refuses.
zod.z.config({ jitless: true });

export const modules: Record<string, unknown> = {
  "glove-wasm": glove,
  "glove-wasm/react": gloveReact,
  "glove-wasm/react/markdown": markdown,
  "glove-wasm/skills": skills,
  "glove-wasm/testing": testing,
  react,
  "react/jsx-runtime": jsx,
  "react-dom": dom,
  "react-dom/client": client,
  zod,
  // For the gallery.
  "./preview": preview,
};
