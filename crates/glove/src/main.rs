//! The program `glove`.

use std::process::ExitCode;

fn main() -> ExitCode {
    glove_wasm_cli::main()
}
