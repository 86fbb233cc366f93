//! `cargo xtask layout`: which functions short commands use, so that the linker puts them together.
//!
//! Each of these commands is followed by valgrind, which tells the addresses it went through; the linker's map tells
//! whose they are. The list is for one compiler and the packages of the lock file: names of functions change with
//! both, and a list whose names are no more does no harm and no good.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use clap::Args;

use crate::workspace::Metadata;
use crate::{bench, say, shell, workspace};

/// Record which functions short commands use (wants valgrind)
#[derive(Debug, Args)]
pub(crate) struct Layout {
    /// Take the program and the map of the last time
    #[arg(long)]
    built: bool,
}

impl Layout {
    pub(crate) fn carry_out(self) -> Result<()> {
        if !shell::works(shell::command("valgrind").arg("--version")) {
            bail!("valgrind is needed: install it, or leave the list as it is");
        }
        let target = Metadata::read()?.target_directory;
        let place = target.join("layout");
        fs::create_dir_all(&place)?;
        let map = place.join("map");
        let program = if self.built {
            target.join("release/forebay")
        } else {
            workspace::build_forebay_with("release", &[("FOREBAY_LINK_MAP", &map)])?
        };
        ensure!(map.is_file(), "the linker wrote no map: there is a list for lld only");
        let functions = Functions::read(&fs::read_to_string(&map)?);
        say::line("following short commands; each takes a second or two ...");
        let trails = follow(&program, &place)?;
        let list = in_order(&functions, &trails);
        let file =
            workspace::root().join("crates/forebay/layout").join(workspace::host()? + ".txt");
        fs::write(&file, list.join("\n") + "\n")?;
        say::line(format!("{} functions of {} commands", list.len(), trails.len()));
        say::line(format!("kept in {}", file.display()));
        Ok(())
    }
}

/// Runs the commands; gives the addresses each went through.
fn follow(program: &Path, place: &Path) -> Result<Vec<BTreeSet<u64>>> {
    let folder = tempfile::Builder::new().prefix("trails-").tempdir_in(place)?;
    let followed = followed(program, folder.path())?;
    bench::short_commands(&followed, place)?;
    let mut trails = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "trail") {
            trails.push(addresses(&String::from_utf8_lossy(&fs::read(path)?)));
        }
    }
    Ok(trails)
}

/// A program that is the other one, followed.
fn followed(program: &Path, folder: &Path) -> Result<PathBuf> {
    let script = folder.join("forebay");
    let trail = folder.join("%p.trail");
    let options = "--quiet --tool=callgrind --dump-instr=yes --compress-pos=no";
    let text = format!(
        "#!/bin/sh\nexec valgrind {options} --callgrind-out-file='{}' '{}' \"$@\" 2>/dev/null\n",
        trail.display(),
        program.display()
    );
    fs::write(&script, text)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    Ok(script)
}

/// The addresses in what callgrind wrote: each line of costs begins with one.
fn addresses(trail: &str) -> BTreeSet<u64> {
    let lines = trail.lines().filter_map(|line| line.strip_prefix("0x"));
    lines.filter_map(|line| u64::from_str_radix(line.split(' ').next()?, 16).ok()).collect()
}

/// Where functions lie, by their first address.
struct Functions(BTreeMap<u64, (u64, String)>);

impl Functions {
    /// Reads lld's map: address, address when loaded, size, alignment, and the section of which file it is. Each
    /// function has a section of its own, which is called after it; the names themselves were stripped.
    fn read(map: &str) -> Self {
        let line = |line: &str| {
            let (_, section) = line.strip_suffix(')')?.rsplit_once(":(.text.")?;
            let name = section.strip_prefix("unlikely.").unwrap_or(section);
            let mut numbers = line.split_whitespace().map(|text| u64::from_str_radix(text, 16));
            let (address, size) = (numbers.next()?.ok()?, numbers.nth(1)?.ok()?);
            Some((address, (size, name.to_owned())))
        };
        Self(map.lines().filter_map(line).collect())
    }

    fn at(&self, address: u64) -> Option<&str> {
        let (start, (size, name)) = self.0.range(..=address).next_back()?;
        (address < start + size).then_some(name)
    }
}

/// The functions, those first that most commands use; neighbours stay neighbours.
fn in_order(functions: &Functions, trails: &[BTreeSet<u64>]) -> Vec<String> {
    let mut users: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for trail in trails {
        let mut used = BTreeMap::new();
        for address in trail {
            if let Some(name) = functions.at(*address) {
                used.entry(name).or_insert(*address);
            }
        }
        for (name, address) in used {
            let (count, first) = users.entry(name).or_insert((0, address));
            *count += 1;
            *first = address.min(*first);
        }
    }
    let mut names: Vec<_> = users.into_iter().collect();
    names.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
    names.into_iter().map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "
             VMA              LMA     Size Align Out     In      Symbol
            1000             1000     3000    64 .text
            1000             1000      100    16         /o/a.o:(.text.first)
            1100             1100      200    16         /o/b c.o:(.text.unlikely.second)
            1100             1100      200     1                 second
            1300             1300       10    16         <internal>:(.init)
            2000             2000       10     1         /o/a.o:(.text.third)
";

    #[test]
    fn an_address_belongs_to_the_function_around_it() {
        let functions = Functions::read(MAP);
        for (address, name) in [
            (0xfff, None),
            (0x1000, Some("first")),
            (0x10ff, Some("first")),
            (0x1234, Some("second")),
            (0x1300, None),
            (0x2008, Some("third")),
            (0x2010, None),
        ] {
            assert_eq!(functions.at(address), name, "{address:x}");
        }
    }

    #[test]
    fn what_most_commands_use_comes_first() {
        let trails = ["0x1200 1\n0x2000 1\n", "fn=x\n0x2004 5 2\ncalls=1 0x9\n0x1001 1\n"];
        let trails: Vec<_> = trails.iter().map(|trail| addresses(trail)).collect();
        let functions = Functions::read(MAP);
        assert_eq!(in_order(&functions, &trails), ["third", "first", "second"]);
    }
}
