// A frame without an origin, in which code of a page runs: it can reach neither the page nor what the site has stored.
import type { Order, Report } from "../frame/begin.js";

export interface Shown {
  /** The frame, to be put anywhere. */
  readonly frame: HTMLIFrameElement;
  stop(): void;
}

const root = () => document.body.dataset.root ?? ".";

const theme = () => document.documentElement.dataset.theme ?? "";

/** Runs files in a frame of their own. */
export function runInFrame(title: string, order: Omit<Order, "type" | "theme">, report: (report: Report) => void): Shown {
  const frame = document.createElement("iframe");
  frame.title = title;
  // Forms only so that their events come: the policy of the frame sends none.
  frame.setAttribute("sandbox", "allow-scripts allow-forms");
  frame.setAttribute("allow", "");
  // With a key, the hosts of providers may be asked; otherwise none.
  const tasks = Object.values(order.files).some((text) => text.includes('"glove-wasm/tasks')) ? "-tasks" : "";
  frame.src = `${root()}/live/${order.key ? "keyed" : "frame"}${tasks}.html`;
  let began = false;
  const listen = ({ data, source }: MessageEvent<Report>) => {
    if (source !== frame.contentWindow || typeof data !== "object" || data === null) return;
    if (data.type === "ready" && !began) {
      began = true;
      frame.contentWindow?.postMessage({ ...order, type: "run", theme: theme() } satisfies Order, "*");
    }
    report(data);
  };
  const themed = () => frame.contentWindow?.postMessage({ type: "theme", theme: theme() }, "*");
  addEventListener("message", listen);
  addEventListener("site-theme", themed);
  return {
    frame,
    stop() {
      removeEventListener("message", listen);
      removeEventListener("site-theme", themed);
      frame.remove();
    },
  };
}
