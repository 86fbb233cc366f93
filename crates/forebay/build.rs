//! How the program is linked: so that the loader has little to do. A hook is a new process every time.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        // Without a fixed address the loader would first write tens of thousands of pointers (tables of
        // grammars, rules and recognizers), which is a third of its start.
        println!("cargo::rustc-link-arg-bins=-no-pie");
        link_unwinding();
    }
}

/// Takes the few functions that a panic needs into the program, where the compiler has them to give: the library
/// they otherwise come from is one of three that every start maps and binds.
#[expect(clippy::disallowed_methods, reason = "no part of the program: the compiler is asked")]
fn link_unwinding() {
    const LIBRARY: &str = "libgcc_eh.a";
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let asked = Command::new(linker).arg(format!("-print-file-name={LIBRARY}")).output();
    let Ok(told) = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()) else {
        return;
    };
    // It answers with the bare name where it has none.
    if PathBuf::from(told.trim()).is_absolute() {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
