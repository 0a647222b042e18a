// The wasm file where a bundler or a runtime imports it as a compiled module.
declare const module: WebAssembly.Module;
export default module;
