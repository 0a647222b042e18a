// A long text that was pasted, as a file of the message. Where the file is refused or taken back at once, the text is in the field.
import { putText } from "./put-text.js";

/** What is used of the files of a message. */
interface Files<Allowed> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getItems: () => readonly { readonly id: string; readonly name: string; readonly state: string }[];
  readonly ready: readonly unknown[];
  add(files: readonly File[], folders: readonly string[], allowed: Allowed, pasted: boolean): readonly string[];
  remove(id: string): void;
}

interface Pasted<Allowed> {
  readonly text: string;
  readonly field: HTMLTextAreaElement;
  readonly accept: readonly string[] | undefined;
  readonly tray: Files<Allowed>;
  readonly allowed: Allowed;
  /** From then on, what is ready is written down for the next page; gives what tells whether it is. */
  readonly kept: () => Promise<(() => Promise<boolean>) | undefined>;
  /** The text needs no other keeping. */
  readonly forget: () => void;
}

export async function pasted<Allowed extends { readonly files: number }>(given: Pasted<Allowed>): Promise<void> {
  const { field, accept, tray, allowed, kept, forget } = given;
  // As a field has it.
  const text = given.text.replace(/\r\n?/g, "\n");
  const isTaken = !accept || accept.some((one) => /^(?:text\/(?:plain|\*)|\.txt)$/i.test(one));
  if (!isTaken || tray.ready.length >= allowed.files) {
    forget();
    return putText(field, text);
  }
  const [id = ""] = tray.add([fileOf(text, tray.getItems())], [], allowed, true);
  // What writes it down listens first.
  const written = await kept();
  follow(given, text, id, written);
}

/** With a name that none of the other files has. */
function fileOf(text: string, others: readonly { readonly name: string }[]): File {
  const names = new Set(others.map(({ name }) => name));
  let name = "pasted.txt";
  for (let at = 2; names.has(name); at++) name = `pasted-${at}.txt`;
  return new File([text], name, { type: "text/plain" });
}

/** Until it is written down; the next undo puts the text back. */
function follow<Allowed>(
  { field, tray, forget }: Pasted<Allowed>,
  text: string,
  id: string,
  written?: () => Promise<boolean>,
): void {
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
    } else if (item.state === "ready") void written?.().then((is) => is && forget());
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
