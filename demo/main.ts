// Loads the package by its name and shows that its core runs.
import { init, version } from "glove-wasm";

await init();
const status = document.querySelector("#status");
if (status) status.textContent = `The core runs: version ${version()}.`;
