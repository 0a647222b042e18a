// The start page's window: its tab can be ended while an approval waits, and comes back with everything.
import type { HeroState } from "../hero/hero.js";

const found = document.querySelector<HTMLElement>(".window");
if (found) show(found);

function show(box: HTMLElement): void {
  const part = <E extends HTMLElement>(name: string) => box.querySelector(name) as E;
  const [place, words, action] = [part(".window-place"), part(".window-words"), part<HTMLButtonElement>(".window-action")];
  const steps = [...document.querySelectorAll<HTMLElement>(".steps li")];
  let frame: HTMLIFrameElement;
  let state: HeroState["state"] = "loading";
  let payments = 0;
  let crashed = 0;
  let came = false;

  const act = (text: string, told: string, work: () => void, step: number) => {
    words.textContent = told;
    action.textContent = text;
    action.hidden = !text;
    action.onclick = work;
    for (const [index, one] of steps.entries()) {
      one.toggleAttribute("data-done", index < step);
      if (index === step) one.setAttribute("aria-current", "step");
      else one.removeAttribute("aria-current");
    }
  };
  const say = (text: "ask" | "again") =>
    frame.contentWindow?.postMessage(text, location.origin === "null" ? "*" : location.origin);
  const times = () => (payments === 1 ? "once" : `${payments} times`);

  const draw = () => {
    if (state === "loading") act("", "Opening the conversation that is stored in this browser…", () => {}, came ? 2 : 0);
    else if (state === "empty")
      act("Ask for a refund", "A scripted model, no key. Everything else is real.", () => say("ask"), 0);
    else if (state === "busy")
      act(
        "",
        came ? "Everything is back, and the answer goes on." : "The model answers. Each step is stored before it runs.",
        () => {},
        came ? 3 : 0,
      );
    else if (state === "waiting" && !came) act("Crash the tab", "An approval waits. Nothing has been paid.", crash, 1);
    else if (state === "waiting") act("Crash it again", "Everything is back, and the approval still waits. Allow it.", crash, 3);
    else
      act(
        "Start over",
        payments ? `The tool ran ${times()}${came ? ", after a crash" : ""}.` : "Nothing has been paid.",
        () => {
          came = false;
          say("again");
        },
        4,
      );
  };

  /** Without a word to what runs in it: its memory, its timers and its connections are gone. */
  function crash(): void {
    frame.remove();
    crashed = performance.now();
    place.dataset.crashed = "";
    const [title, text] = [document.createElement("strong"), document.createElement("p")];
    title.textContent = "This tab has crashed";
    text.textContent = "Its page was torn out in the middle of a call: memory, timers and the model's connection are gone.";
    const box = document.createElement("div");
    box.className = "crashed";
    box.append(title, text);
    place.replaceChildren(box);
    act("Reload", "Only what was written to the disk is left.", reload, 2);
    action.focus({ preventScroll: true });
  }

  function reload(): void {
    came = true;
    state = "loading";
    open();
    draw();
  }

  function open(): void {
    delete place.dataset.crashed;
    frame = document.createElement("iframe");
    frame.title = "A chat about orders";
    frame.src = `${document.body.dataset.root ?? "."}/hero/index.html`;
    place.replaceChildren(frame);
  }

  addEventListener("message", ({ data, source }: MessageEvent<HeroState>) => {
    if (source !== frame.contentWindow || data?.type !== "hero") return;
    // Another visit left it there: that is a crash, too.
    if (state === "loading" && data.state === "waiting" && !crashed) came = true;
    ({ state, payments } = data);
    draw();
    begin();
  });
  /** It begins by itself where it is seen, once: the first thing to press is the crash. */
  let begun = false;
  function begin(): void {
    if (begun || state !== "empty" || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    begun = true;
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        seen.disconnect();
        setTimeout(() => {
          if (state === "empty") say("ask");
        }, 1_200);
      },
      { threshold: 0.5 },
    );
    seen.observe(box);
  }
  addEventListener("site-theme", ({ detail }: CustomEventInit<string>) => {
    const inside = frame.contentDocument?.documentElement;
    if (inside && detail) inside.dataset.theme = detail;
  });
  // Browsers load no module from a folder that nobody serves.
  if (location.protocol === "file:") words.textContent = "This chat needs a server: run `npm run site`.";
  else open();
}
