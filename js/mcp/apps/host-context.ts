// What an app is told of the chat around it: its colours, its size, its language.

import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";

/** The names that apps know, and what they are of the look. */
const colours = {
  "--color-background-primary": "var(--_background, Canvas)",
  "--color-background-secondary": "var(--_soft, color-mix(in srgb, CanvasText 6%, Canvas))",
  "--color-background-tertiary": "var(--_surface, Canvas)",
  "--color-background-inverse": "var(--_text, CanvasText)",
  "--color-text-primary": "var(--_text, CanvasText)",
  "--color-text-secondary": "var(--_muted, GrayText)",
  "--color-text-tertiary": "var(--_muted, GrayText)",
  "--color-text-inverse": "var(--_background, Canvas)",
  "--color-text-info": "var(--_link, LinkText)",
  "--color-text-danger": "var(--_danger, CanvasText)",
  "--color-text-success": "var(--_success, CanvasText)",
  "--color-text-warning": "var(--_warning, CanvasText)",
  "--color-border-primary": "var(--_line, GrayText)",
  "--color-border-secondary": "var(--_line, GrayText)",
  "--color-ring-primary": "var(--_accent, LinkText)",
} as const;

/** The colours as numbers: an app knows none of our variables. */
function variablesOf(place: HTMLElement): Record<string, string> {
  const probe = document.createElement("span");
  probe.hidden = true;
  place.append(probe);
  const entries = Object.entries(colours).map(([name, value]) => {
    probe.style.color = value;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  const { fontFamily } = getComputedStyle(place);
  const radius = getComputedStyle(place).getPropertyValue("--_radius").trim();
  return Object.fromEntries([...entries, ["--font-sans", fontFamily], ...(radius ? [["--border-radius-lg", radius]] : [])]);
}

/** Dark, where its text is lighter than what it stands on. */
export function themeOf(place: HTMLElement): "light" | "dark" {
  const probe = document.createElement("span");
  probe.style.color = "light-dark(#000, #fff)";
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color === "rgb(255, 255, 255)" ? "dark" : "light";
}

export function hostContextOf(place: HTMLElement, isFull: boolean, maxHeight: number): McpUiHostContext {
  const { width, height } = place.getBoundingClientRect();
  const language = place.closest("[lang]")?.getAttribute("lang") || navigator.language;
  const fine = matchMedia("(hover: hover)").matches;
  return {
    theme: themeOf(place),
    styles: { variables: variablesOf(place) as never },
    displayMode: isFull ? "fullscreen" : "inline",
    availableDisplayModes: ["inline", "fullscreen"],
    containerDimensions: isFull
      ? { width: Math.round(width), height: Math.round(height) }
      : { width: Math.round(width), maxHeight },
    locale: language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: "web",
    userAgent: "glove-wasm",
    deviceCapabilities: { touch: navigator.maxTouchPoints > 0, hover: fine },
  };
}

/** Calls back when any of it may have changed, at most once a frame. */
export function watchContext(place: HTMLElement, changed: () => void): () => void {
  let frame = 0;
  const soon = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      changed();
    });
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const sizes = new ResizeObserver(soon);
  const marks = new MutationObserver(soon);
  sizes.observe(place);
  dark.addEventListener("change", soon);
  // A page changes its theme by the attributes of what is around the chat.
  for (let around: Element | null = place.parentElement; around; around = around.parentElement)
    marks.observe(around, { attributes: true, attributeFilter: ["class", "style", "lang", "data-theme", "data-glove-theme"] });
  return () => {
    cancelAnimationFrame(frame);
    sizes.disconnect();
    marks.disconnect();
    dark.removeEventListener("change", soon);
  };
}
