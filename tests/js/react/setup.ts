// Each test begins with an empty page.
import { cleanup, configure } from "@testing-library/react";
import { preloadRender } from "glove-wasm/react";
import { afterEach, beforeAll } from "vitest";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
configure({ asyncUtilTimeout: 10_000 });
// A test draws at once, and not when the view has been loaded.
beforeAll(preloadRender);
afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
