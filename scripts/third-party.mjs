// `npm run third-party`: writes whose code is in the npm package, and in the program `glove`. `npm run check -- licences` compares.
import { readFileSync, writeFileSync } from "node:fs";
import { inRoot } from "./lib/project.mjs";
import { isMain, main, StepFailed } from "./lib/run.mjs";
import { bundled, inProgram, inWasm, page, rust } from "./lib/third-party.mjs";

const written = "Written by `npm run third-party`.";
const pages = [
  {
    file: "THIRD-PARTY.md",
    text: async () =>
      page(
        `# Code of others in this package\n\nThe WebAssembly files contain these Rust crates, and the sandbox contains code of these npm packages. What npm installs beside\nthis package has its own licence. ${written}`,
        [...inWasm(), ...(await bundled()), rust],
      ),
  },
  {
    file: "crates/glove/THIRD-PARTY.md",
    text: async () =>
      page(`# Code of others in the program \`glove\`\n\nOn Linux and on macOS. ${written}`, [...inProgram(), rust]),
  },
];

/** Fails where a page is not what it would be now. */
export async function checkThirdParty() {
  const stale = [];
  for (const { file, text } of pages) if (readFileSync(inRoot(file), "utf8") !== (await text())) stale.push(file);
  if (stale.length) throw new StepFailed(`not current: ${stale.join(", ")}`, "Run `npm run third-party`, and read the diff.");
}

if (isMain(import.meta)) {
  await main(async () => {
    for (const { file, text } of pages) writeFileSync(inRoot(file), await text());
  });
}
