//! Compresses the parse tables of the large grammars, if the feature `packed` asks for it.

#[cfg(feature = "packed")]
#[path = "build/pack.rs"]
mod pack;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    #[cfg(feature = "packed")]
    if let Err(error) = pack::pack_all() {
        println!("cargo:error=cannot compress the parse tables of the grammars: {error}");
        std::process::exit(1);
    }
}
