//! What a wasm file need not carry.

use walrus::ir::Value;
use walrus::{ConstExpr, DataKind, FunctionBuilder, FunctionKind, Module};

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
            // The lints of the crate hold that panics alone print with `{:?}`.
            name.ends_with(" as core::fmt::Debug>::fmt")
                || PANICS.iter().any(|panic| name.trim_start_matches('<').starts_with(panic))
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

/// Each panic would tell the file and line that it began in. Zeros take their place, which wasm-opt leaves out; so
/// nobody reads either where the crates lay on the machine that built this.
pub(crate) fn forget_places(module: &mut Module) {
    let mut segments = Vec::new();
    for data in module.data.iter() {
        if let DataKind::Active { offset: ConstExpr::Value(Value::I32(address)), .. } = data.kind {
            segments.push((address as usize, data.id(), data.value.as_slice()));
        }
    }
    let mut places = Vec::new();
    for (address, _, bytes) in &segments {
        for at in (0..bytes.len()).filter(|at| (address + at) % 4 == 0) {
            // The name's address and length, the line, the column.
            let words: Vec<usize> = bytes[at..]
                .chunks_exact(4)
                .take(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as usize)
                .collect();
            if let [name, length, 1..100_000, 1..1_000] = words[..] {
                let is_file = segments.iter().any(|(start, _, bytes)| {
                    let from = name.wrapping_sub(*start);
                    bytes.get(from..from.saturating_add(length)).is_some_and(|name| name.ends_with(b".rs"))
                });
                if is_file {
                    places.extend([(address + at, 16), (name, length)]);
                }
            }
        }
    }
    assert!(!places.is_empty(), "the wasm file names no place of a panic");
    let segments: Vec<_> = segments.into_iter().map(|(start, id, _)| (start, id)).collect();
    for (start, id) in segments {
        for (address, length) in &places {
            let from = address.wrapping_sub(start);
            let bytes = &mut module.data.get_mut(id).value;
            if let Some(place) = bytes.get_mut(from..from.saturating_add(*length)) {
                place.fill(0);
            }
        }
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
