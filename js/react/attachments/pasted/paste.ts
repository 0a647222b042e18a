// A long text that was pasted, as a file of the message. It stays the person's: in the storage of the tab until the file is kept, and back in
// the field where the file is refused or taken back.
import { putText } from "./put-text.js";

/** What is used of the files of a message. */
interface Files {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getItems: () => readonly { readonly id: string; readonly name: string; readonly state: string }[];
  remove(id: string): void;
}

/** A name that none of the other files has. */
export function pastedFile(text: string, tray: Files): File {
  const names = new Set(tray.getItems().map(({ name }) => name));
  let name = "pasted.txt";
  for (let at = 2; names.has(name); at++) name = `pasted-${at}.txt`;
  return new File([text], name, { type: "text/plain" });
}

interface Pasted {
  readonly text: string;
  readonly id: string;
  readonly tray: Files;
  readonly field: HTMLTextAreaElement;
  /** Of the conversation, where it has one. */
  readonly session: string | undefined;
  /** Whether the files that are ready by now are kept for the next page. */
  readonly kept: () => Promise<boolean>;
}

/** Follows the file until it is kept, and lets the next undo put its text back. */
export function followPasted({ text, id, tray, field, session, kept }: Pasted, forget: () => void): void {
  const stops: (() => void)[] = [];
  const end = () => {
    for (const stop of stops.splice(0)) stop();
  };
  const back = () => {
    end();
    tray.remove(id);
    forget();
    putText(field, text);
  };
  const look = () => {
    const item = tray.getItems().find((one) => one.id === id);
    if (item?.state === "refused") return back();
    if (!item) {
      end();
      forget();
    } else if (item.state === "ready" && session !== undefined) void kept().then((is) => is && forget());
  };
  const undo = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "z" || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    back();
  };
  // What is typed since is what is undone first.
  const typed = () => field.removeEventListener("keydown", undo);
  field.addEventListener("keydown", undo);
  field.addEventListener("input", typed);
  stops.push(tray.subscribe(look), typed, () => field.removeEventListener("input", typed));
  look();
}
