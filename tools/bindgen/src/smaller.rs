//! What a wasm file need not carry.

use walrus::{FunctionBuilder, FunctionKind, Module};

/// Where a panic begins, as far as nobody reads what it says: a wasm file has nowhere to write its message.
const PANICS: [&str; 17] = [
    "core::panicking::",
    "core::option::unwrap_failed",
    "core::option::expect_failed",
    "core::result::unwrap_failed",
    "core::slice::index::slice_",
    "core::str::slice_error_fail",
    "core::cell::panic_",
    "alloc::raw_vec::handle_error",
    "alloc::raw_vec::capacity_overflow",
    "alloc::alloc::handle_alloc_error",
    "std::panicking::",
    "std::alloc::rust_oom",
    "std::alloc::default_alloc_error_hook",
    "std::process::abort",
    "__rustc::rust_begin_unwind",
    "__rustc::rust_panic",
    "__rustc::__rust_start_panic",
];

/// Panics become the trap that they end in, and wasm-opt takes away what made their messages.
pub(crate) fn trap_at_panics(module: &mut Module) {
    let panics: Vec<_> = module
        .funcs
        .iter_local()
        .filter(|(id, _)| {
            let name = module.funcs.get(*id).name.as_deref().map(plain).unwrap_or_default();
            PANICS.iter().any(|panic| name.trim_start_matches('<').starts_with(panic))
        })
        .map(|(id, function)| (id, function.ty()))
        .collect();
    assert!(!panics.is_empty(), "the wasm file names no function in which a panic begins");
    for (id, ty) in panics {
        let ty = module.types.get(ty);
        let (params, results) = (ty.params().to_vec(), ty.results().to_vec());
        let mut function = FunctionBuilder::new(&mut module.types, &params, &results);
        function.func_body().unreachable();
        let locals = params.iter().map(|param| module.locals.add(*param)).collect();
        module.funcs.get_mut(id).kind = FunctionKind::Local(function.local_func(locals));
    }
}

/// A function's name without the numbers that tell crates of the same name apart.
fn plain(name: &str) -> String {
    let mut out = String::new();
    for (at, part) in name.split('[').enumerate() {
        match part.split_once(']') {
            Some((number, rest)) if at > 0 && number.len() == 16 => out.push_str(rest),
            _ if at > 0 => {
                out.push('[');
                out.push_str(part);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// The names of imports end in hashes, which nothing compresses. Gives the old names and the new ones, for the glue.
pub(crate) fn short_imports(module: &mut Module) -> Vec<(String, String)> {
    let hashed = |name: &str| {
        let hash = name.rsplit('_').next().unwrap_or_default();
        hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let imports = module.imports.iter_mut().filter(|import| hashed(&import.name)).enumerate();
    imports
        .map(|(at, import)| {
            let short = format!("i{at}");
            (std::mem::replace(&mut import.name, short.clone()), short)
        })
        .collect()
}
