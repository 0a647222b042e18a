// Each test begins with an empty page.
import { cleanup } from "@testing-library/react";
import { preloadRender } from "glove-wasm/react";
import { afterEach, beforeAll } from "vitest";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
// A test draws at once, and not when the view has been loaded.
beforeAll(preloadRender);
afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
