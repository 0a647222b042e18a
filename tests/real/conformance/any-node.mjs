// The suite names a function of Node 22 that its runs do not call (`globSync`): with this it loads in older versions too. For `node --import`.
import { register } from "node:module";

const text = (module) => `data:text/javascript,${encodeURIComponent(module)}`;
const fs = text('export * from "node:fs"; export const globSync = () => [];');
register(
  text(`export const resolve = (name, context, next) =>
  name === "fs" && context.parentURL.includes("/conformance/dist/") ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(name, context);`),
);
