// The scenes of the demo, and which of them is shown: the address says it.
import { useSyncExternalStore } from "react";
import { assistantScene } from "./assistant/scene.js";
import { deskScene } from "./desk/scene.js";
import { openScene, type Scene } from "./scene.js";
import { shopScene } from "./shop/scene.js";
import { tripScene } from "./trip/scene.js";

export const scenes: readonly [Scene, ...Scene[]] = [
  openScene(assistantScene),
  openScene(shopScene),
  openScene(tripScene),
  openScene(deskScene),
];

/** The scene without a chat. */
export const task = { id: "task", name: "Task", title: "Hand over a goal" };

/** The scene with a chat in the corner. */
export const corner = { id: "site", name: "Site", title: "A chat in the corner of a site" };

/** All that the menu leads to. */
export const places: readonly { readonly id: string; readonly name: string; readonly title: string }[] = [
  ...scenes,
  task,
  corner,
];

/** The task and the site have pages of their own. */
export function useScene(): Scene | typeof task | typeof corner {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const own = [task, corner].find(({ id }) => hash === `#${id}`);
  if (own) return own;
  return scenes.find(({ id }) => hash === `#${id}`) ?? scenes[0];
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
