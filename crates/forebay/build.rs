//! Link options of the `forebay` binary. They shorten process start, which every hook pays.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        link_unwinder_statically();
    }
}

/// Links libgcc's unwinder statically if the linker driver has `libgcc_eh.a`.
///
/// The dynamic loader then need not map and relocate `libgcc_s.so` at every start.
#[expect(clippy::disallowed_methods, reason = "a build script runs the linker driver directly")]
fn link_unwinder_statically() {
    const LIBRARY: &str = "libgcc_eh.a";
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let query = Command::new(linker).arg(format!("-print-file-name={LIBRARY}")).output();
    let Ok(path) = query.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()) else {
        return;
    };
    // The driver prints the bare name if it does not have the library.
    if Path::new(path.trim()).is_absolute() {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
