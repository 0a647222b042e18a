//! The program `glove`, for the tests of it.

use std::process::ExitCode;

fn main() -> ExitCode {
    glove_wasm_cli::main()
}
