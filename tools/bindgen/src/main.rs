//! Reads a wasm file, writes its JavaScript glue: `glove-bindgen IN.wasm OUT_DIR NAME`.

mod smaller;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [input, out_dir, name] = args.as_slice() else {
        eprintln!("usage: glove-bindgen IN.wasm OUT_DIR NAME");
        return ExitCode::from(2);
    };
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    let written = bindgen.web(true).and_then(|web| {
        let mut output = web
            .input_path(input)
            .out_name(name)
            .typescript(true)
            .omit_default_module_path(true)
            .reset_state_function(true)
            .remove_producers_section(true)
            .generate_output()?;
        smaller::trap_at_panics(output.wasm_mut());
        smaller::forget_places(output.wasm_mut());
        output.emit(out_dir)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}
