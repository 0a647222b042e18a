// The key that finds, also where it is pressed before the bar is there.

/** Without Shift the browser finds. On a keyboard with letters of another script, by its place. */
export const isFindKey = ({ ctrlKey, metaKey, shiftKey, altKey, defaultPrevented, key, code }: KeyboardEvent): boolean =>
  shiftKey && !altKey && (ctrlKey || metaKey) && !defaultPrevented && /^(key)?f$/i.test(key > "~" ? code : key);

/** Where it was pressed last, unless somebody has typed since. */
export const pressed: { at?: EventTarget | undefined } = {};

const hear = (event: KeyboardEvent) => {
  pressed.at = isFindKey(event) ? event.composedPath()[0] : undefined;
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
