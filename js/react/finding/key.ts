// The key that is pressed before the bar is there, which finds as soon as it is.

/** The last key, and where it was pressed. */
export const pressed: { last?: readonly [KeyboardEvent, EventTarget | undefined] | undefined } = {};

const hear = (event: KeyboardEvent) => {
  pressed.last = [event, event.composedPath()[0]];
};

/** Remembers it while the bar is loaded. */
export async function whileLoading<T>(load: () => Promise<T>): Promise<T> {
  addEventListener("keydown", hear);
  try {
    return await load();
  } finally {
    removeEventListener("keydown", hear);
  }
}
