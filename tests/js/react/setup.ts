// Each test begins with an empty page.
import { cleanup, configure } from "@testing-library/react";
import { preloadRender } from "glove-wasm/react";
import { afterAll, afterEach, beforeAll } from "vitest";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
configure({ asyncUtilTimeout: 20_000 });
// A test draws at once, and not when the view has been loaded.
beforeAll(preloadRender);
afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
// React may have scheduled more behind the last test, also behind a timer or a part that is being loaded, and reads `window` then.
afterAll(async () => {
  for (let task = 0; task < 10; task++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise(setImmediate);
  }
});
