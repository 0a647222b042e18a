// Prints a conversation with all of its messages, also those that are not in the document yet. Loaded when it is first asked for.
import { views } from "./view-of.js";

/** In milliseconds: pictures that take longer are left out. */
const patience = 3_000;

export async function printAll(log: HTMLElement): Promise<void> {
  const page = log.ownerDocument.defaultView ?? window;
  views.get(log)?.showAll(true);
  const frame = () => new Promise((later) => page.requestAnimationFrame(later));
  // One in which they are drawn, and one in which they are laid out.
  await frame();
  await frame();
  const pictures = [...log.querySelectorAll("img")].map((picture) => {
    picture.loading = "eager";
    return picture.decode?.();
  });
  await Promise.race([Promise.allSettled(pictures), new Promise((late) => page.setTimeout(late, patience))]);
  // The browser tells when it is done, and the others go again.
  page.print();
}
