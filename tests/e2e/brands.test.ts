// The colours of the look that follow from an application's own: whatever it says of three, all of it can be read.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { showState } from "../support/look.js";
import { withPage } from "../support/look-chat.js";

/** What stands on what, and the contrast that WCAG asks for: 4.5 for text, 3 for the edge of what can be operated. */
const pairs: readonly (readonly [on: string, what: string, least: number])[] = [
  ...["background", "surface", "soft"].flatMap((on) =>
    ["text", "muted", "link", "danger", "warning", "success"].map((what) => [on, what, 4.5] as const),
  ),
  ["accent", "on-accent", 4.5],
  ["danger-fill", "on-danger", 4.5],
  ["text", "ground", 4.5],
  ["background", "field-line", 3],
  ["surface", "field-line", 3],
  ["soft", "field-line", 2.5],
];

/** Numbers that look drawn, and are the same each time. */
function drawn(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** A brand: any accent at all, a tint behind, and a text that can be read on it. */
function brand(next: () => number, dark: boolean): Record<string, string> {
  const hue = next() * 360;
  const [background, text] = dark ? [0.13 + next() * 0.12, 0.9 + next() * 0.1] : [0.95 + next() * 0.05, 0.15 + next() * 0.12];
  return {
    "--glove-accent": `oklch(${(0.2 + next() * 0.75).toFixed(3)} ${(next() * 0.3).toFixed(3)} ${(next() * 360).toFixed(1)})`,
    "--glove-background": `oklch(${background.toFixed(3)} ${(next() * 0.02).toFixed(3)} ${hue.toFixed(1)})`,
    "--glove-text": `oklch(${text.toFixed(3)} ${(next() * 0.03).toFixed(3)} ${hue.toFixed(1)})`,
  };
}

/** The pairs that cannot be read, with their contrast. */
async function unreadable(page: Page, variables: Record<string, string>, theme = ""): Promise<string[]> {
  return page.evaluate(
    ([variables, theme, pairs]) => {
      const chat = document.querySelector("[data-glove-look]") as HTMLElement;
      const around = chat.parentElement as HTMLElement;
      around.dataset.gloveTheme = theme;
      around.removeAttribute("style");
      for (const [name, value] of Object.entries(variables)) around.style.setProperty(name, value);
      const probe = chat.appendChild(document.createElement("span"));
      const canvas = new OffscreenCanvas(1, 1).getContext("2d", {
        willReadFrequently: true,
      }) as OffscreenCanvasRenderingContext2D;
      const luminance = (name: string) => {
        probe.style.color = `var(--_${name})`;
        canvas.fillStyle = getComputedStyle(probe).color;
        canvas.fillRect(0, 0, 1, 1);
        const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
          const part = byte / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const found = pairs.flatMap(([on, what, least]) => {
        const [low = 0, high = 0] = [luminance(on), luminance(what)].sort((a, b) => a - b);
        const contrast = (high + 0.05) / (low + 0.05);
        return contrast < least ? [`${what} on ${on}: ${contrast.toFixed(2)}`] : [];
      });
      probe.remove();
      return found;
    },
    [variables, theme, pairs] as const,
  );
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`fifty brands can be read, and every theme, in ${colorScheme} colours`, async () => {
    await withPage(
      async (page) => {
        await showState(page, "permission");
        for (const theme of ["", "neutral", "warm", "slate", "contrast", "terminal"])
          expect([theme, await unreadable(page, {}, theme)]).toEqual([theme, []]);
        const next = drawn(1);
        for (let at = 0; at < 50; at++) {
          const variables = brand(next, colorScheme === "dark");
          expect([variables, await unreadable(page, variables)]).toEqual([variables, []]);
        }
      },
      { colorScheme },
    );
  });
}
