//! How the program is linked: so that the loader has little to do. A hook is a new process every time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        // Without a fixed address the loader would first write tens of thousands of pointers (tables of
        // grammars, rules and recognizers), which is a third of its start.
        println!("cargo::rustc-link-arg-bins=-no-pie");
        link_unwinding();
    }
    put_in_order();
}

/// Puts the functions together that a short command uses, where there is a list of them for the target.
///
/// They are a tenth of the program and lie scattered over all of it, so that half of it would be mapped to run
/// them. `cargo xtask layout` makes the list. A name in it that another compiler made differently does nothing.
fn put_in_order() {
    const LISTS: &str = "layout";
    println!("cargo::rerun-if-changed={LISTS}");
    println!("cargo::rerun-if-env-changed={MAP}");
    let is_optimized = env::var("OPT_LEVEL").is_ok_and(|level| level == "3");
    let target = env::var("TARGET").unwrap_or_default();
    let Some(folder) = env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    // A copy that stays with what was built: another checkout that builds in the same folder links with it.
    let list = folder.join("layout.txt");
    let is_there = fs::read(Path::new(LISTS).join(format!("{target}.txt")))
        .and_then(|names| fs::write(&list, names))
        .is_ok();
    if !is_optimized || !is_there || !links_with_lld(&target) {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    println!("cargo::rustc-link-arg-bins=-Wl,--symbol-ordering-file={}", list.display());
    if let Ok(map) = env::var(MAP) {
        println!("cargo::rustc-link-arg-bins=-Wl,-Map={map}");
    }
}

/// Names a file that is told where each function lies.
const MAP: &str = "FOREBAY_LINK_MAP";

/// Only one linker knows what is asked of it here: the compiler's own, unless somebody chose another.
fn links_with_lld(target: &str) -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let is_chosen = ["fuse-ld", "linker"].iter().any(|word| flags.contains(word));
    target == "x86_64-unknown-linux-gnu" && env::var_os("RUSTC_LINKER").is_none() && !is_chosen
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
