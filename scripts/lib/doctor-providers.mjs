// What `npx glove-wasm doctor` knows of providers: how their models are listed, and when models end.
import { readFileSync, writeFileSync } from "node:fs";
import { inRoot } from "./project.mjs";

/** Writes it from the table of Rust. */
export function doctorProviders() {
  const table = JSON.parse(readFileSync(inRoot("src", "providers", "table.json"), "utf8"));
  const asked = table.filter(({ format }) => format === "openai" || format === "anthropic");
  const rows = asked.map(({ id, name, format, baseURL, envVar, models, ends = {} }) => {
    return JSON.stringify({ id, name, format, baseURL, envVar, models, ends });
  });
  const about = "// Written by scripts/lib/doctor-providers.mjs from src/providers/table.json.";
  writeFileSync(inRoot("bin", "doctor", "providers.mjs"), `${about}\nexport const providers = [\n${rows.join(",\n")},\n];\n`);
}
