// What axe finds wrong in a page: everything in light colours; in dark ones, which change nothing else, what it says of colours.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { root } from "./project.js";

const source = readFileSync(`${root}/node_modules/axe-core/axe.min.js`, "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { html: string }[];
}

/** What holds is not written down, nor where anything is: a quarter of the work. */
const onlyProblems = { resultTypes: ["violations"], selectors: false };

/** Comes when all that moves and comes to an end has come to it, and nothing has begun for three frames. */
const settled = `(async () => {
  const ends = ({ effect }) => effect?.getComputedTiming().endTime < Infinity;
  for (let still = 0; still < 3; still++) {
    await new Promise(requestAnimationFrame);
    const moving = document.getAnimations().filter(ends);
    if (moving.length > 0) still = -1;
    await Promise.all(moving.map(({ finished }) => finished.catch(() => {})));
  }
})()`;

/** `within` is a CSS selector; `without` names rules that a part of a page cannot keep. */
export async function barriers(page: Page, within = "html", without: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(source);
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
  const problems: string[] = [];
  for (const [colorScheme, options] of [
    ["dark", { runOnly: ["color-contrast", "link-in-text-block"] }],
    ["light", { rules }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    // What fades in has the colours of its end then.
    await page.evaluate(settled);
    const told = { ...options, ...onlyProblems };
    const run = `axe.run(${JSON.stringify(within)}, ${JSON.stringify(told)}).then(({ violations }) => violations)`;
    for (const { id, nodes } of (await page.evaluate(run)) as Violation[]) {
      problems.push(`${colorScheme}, ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
    }
  }
  return problems;
}
