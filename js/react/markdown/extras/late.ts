// What only some answers need: what can be done with tables and code, and marks that lead to sources. Loaded with the first of these.
import { useEffect, useState } from "react";
import { Loader } from "../../look/loader.js";

type Extras = typeof import("./index.js");

const extras = /* @__PURE__ */ new Loader(() => import("./index.js"), true);
let loaded: Extras | undefined;

/** Nothing until it is there: what it belongs to is drawn without it. */
export function useExtras(needed: boolean): Extras | undefined {
  const [found, setFound] = useState(loaded);
  useEffect(() => {
    if (!needed || found) return;
    let isOn = true;
    void extras.load().then((module) => {
      loaded = module;
      if (isOn) setFound(module);
    });
    return () => {
      isOn = false;
    };
  }, [needed, found]);
  return needed ? found : undefined;
}
