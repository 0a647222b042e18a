//! What the program weighs. Its release build takes minutes, so the one that tests use stands for it here: a crate that makes one of them
//! much larger makes the other so too. `npm run size -- glove` builds the release and holds it to 15 MB.

use std::process::Command;

/// Code and constants without the tables of debuggers. The release weighs a quarter of it.
const MOST: u64 = 61_000_000;

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn the_program_has_not_become_much_larger() {
    // Of binutils, which a C compiler needs too.
    let Ok(output) = Command::new("size").arg(env!("CARGO_BIN_EXE_glove-tested")).output() else {
        eprintln!("not run: `size` of binutils is not installed");
        return;
    };
    let told = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<u64> =
        told.lines().nth(1).unwrap().split_whitespace().map_while(|word| word.parse().ok()).collect();
    let size = numbers[0] + numbers[1];
    assert!(
        size <= MOST,
        "the program has {size} bytes of code, more than {MOST}: see by `npm run size -- glove` what the release weighs, and say in the commit why this limit is raised"
    );
}
