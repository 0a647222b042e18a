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

/** All that the menu leads to. */
export const places: readonly { readonly id: string; readonly name: string; readonly title: string }[] = [...scenes, task];

/** Nothing for the task. */
export function useScene(): Scene | undefined {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  if (hash === `#${task.id}`) return undefined;
  return scenes.find(({ id }) => hash === `#${id}`) ?? scenes[0];
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
