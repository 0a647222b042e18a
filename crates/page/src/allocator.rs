//! The memory of the wasm files. What Rust brings for that is four times as long (2.3 kB of the page).

#[global_allocator]
static MEMORY: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
