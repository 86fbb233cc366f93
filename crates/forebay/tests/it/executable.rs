//! What the linker and the C compiler add to the executable against exploits of memory errors.

#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]

use std::fs;

use object::elf::{FileHeader64, PF_X, PT_GNU_RELRO, PT_GNU_STACK, ProgramFlags};
use object::read::elf::{ElfFile, ProgramHeader as _};
use object::{Endianness, Object as _, ObjectKind, ObjectSymbol as _};

#[test]
fn is_position_independent_with_guarded_stacks_and_read_only_relocations() {
    let bytes = fs::read(env!("CARGO_BIN_EXE_forebay")).unwrap();
    let elf = ElfFile::<FileHeader64<Endianness>>::parse(&*bytes).unwrap();
    assert_eq!(elf.kind(), ObjectKind::Dynamic, "not position independent");
    let endian = elf.endian();
    let header = |kind| {
        elf.elf_program_headers().iter().find(|header| header.p_type(endian) == kind).unwrap()
    };
    assert_eq!(header(PT_GNU_STACK).p_flags(endian) & PF_X, ProgramFlags(0), "executable stack");
    assert!(header(PT_GNU_RELRO).p_memsz(endian) > 0, "writable relocations");
    // C code with buffers on the stack (SQLite, grammars, zstd) calls it where a guard was overwritten.
    let is_guard = |name: Result<&str, _>| name == Ok("__stack_chk_fail");
    assert!(elf.dynamic_symbols().any(|symbol| is_guard(symbol.name())), "unguarded C code");
}
