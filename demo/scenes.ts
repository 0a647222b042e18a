// The scenes of the demo, and which of them is shown: the address says it.
import { useSyncExternalStore } from "react";
import { desk } from "./desk/scene.js";
import { openScene, type Scene } from "./scene.js";
import { shop } from "./shop/scene.js";
import { trip } from "./trip/scene.js";

export const scenes: readonly [Scene, ...Scene[]] = [openScene(shop), openScene(trip), openScene(desk)];

export function useScene(): Scene {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return scenes.find(({ id }) => hash === `#${id}`) ?? scenes[0];
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
