// The wasm file as workerd imports it: compiled.
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
