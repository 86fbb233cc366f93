//! Reads what was generated back and compares it with the table ([`super::release`]): every package and catalogue of a
//! release, and the files of the repository that repeat something of it.
//!
//! Packages are read with the tools of their formats, not with what wrote them.

mod catalogues;
mod files;
mod packages;
mod repository;

use std::path::Path;

use anyhow::{Result, ensure};

use super::release::{NAME, Release};
use crate::console;

/// What a file says, beside what the table says.
struct Claims<'a> {
    release: &'a Release,
    out: &'a Path,
    count: usize,
    faults: Vec<String>,
}

pub(super) fn check(release: &Release, out: &Path) -> Result<()> {
    let mut claims = Claims { release, out, count: 0, faults: Vec::new() };
    packages::read(&mut claims)?;
    catalogues::read(&mut claims)?;
    repository::read(&mut claims)?;
    ensure!(claims.faults.is_empty(), "not what was released:\n{}", claims.faults.join("\n"));
    console::line(format!("{} statements of packages and manifests agree", claims.count));
    Ok(())
}

impl Claims<'_> {
    fn equal(&mut self, file: &str, what: &str, found: impl AsRef<str>, wanted: impl AsRef<str>) {
        self.count += 1;
        let (found, wanted) = (found.as_ref(), wanted.as_ref());
        if found != wanted {
            self.faults.push(format!("{file}: {what} is `{found}` instead of `{wanted}`"));
        }
    }

    fn contains(&mut self, file: &str, text: &str, wanted: &str) {
        self.count += 1;
        if !text.contains(wanted) {
            self.faults.push(format!("{file}: it does not contain `{wanted}`"));
        }
    }

    fn name(&mut self, file: &str, found: &str) {
        self.equal(file, "the name", found, NAME);
    }

    fn version(&mut self, file: &str, found: &str) {
        let version = self.release.version.clone();
        self.equal(file, "the version", found, version);
    }

    /// Formats disagree about the full stop.
    fn description(&mut self, file: &str, found: &str) {
        let wanted = self.release.description.trim_end_matches('.').to_owned();
        self.equal(file, "the description", found.trim_end_matches('.'), wanted);
    }

    fn license(&mut self, file: &str, found: &str) {
        let wanted = self.release.license.clone();
        self.equal(file, "the license", found.replace(" or ", " OR "), wanted);
    }

    /// The address of the sources; nothing, if the release has none.
    fn repository(&mut self, file: &str, found: &str) {
        let wanted = self.release.repository.clone().unwrap_or_default();
        self.equal(file, "the repository", found, wanted);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::dist::test_release::{self, TestRelease};

    #[test]
    fn a_file_of_another_release_is_found_in_every_channel() {
        if !test_release::can_pack() {
            return;
        }
        let own = TestRelease::new(test_release::release());
        let other = TestRelease::new(Release {
            version: "9.9.9".to_owned(),
            description: "Something else.".to_owned(),
            license: "Zlib".to_owned(),
            repository: Some("https://github.com/other/forebay".to_owned()),
            ..own.release.clone()
        });
        check(&own.release, &own.out()).unwrap();
        assert_eq!(own.names().len(), 35, "{:?}", own.names());
        for name in own.names() {
            let bytes = fs::read(own.out().join(&name)).unwrap();
            let stranger = other.out().join(name.replace(&own.release.version, "9.9.9"));
            fs::copy(stranger, own.out().join(&name)).unwrap();
            let told = check(&own.release, &own.out()).map_err(|error| format!("{error:#}"));
            let told = told.expect_err(&name);
            assert!(told.contains(&name), "{name} is not named: {told}");
            fs::write(own.out().join(&name), bytes).unwrap();
        }
        check(&own.release, &own.out()).unwrap();
    }

    /// As `cargo xtask dist` makes them in a clone.
    #[test]
    fn packages_without_a_repository_agree() {
        if !test_release::can_pack() {
            return;
        }
        let release = Release { repository: None, ..test_release::release() };
        let packed = TestRelease::new(release);
        check(&packed.release, &packed.out()).unwrap();
    }

    #[test]
    fn the_same_program_gives_the_same_packages() {
        if !test_release::can_pack() {
            return;
        }
        let [one, other] = [(); 2].map(|()| TestRelease::new(test_release::release()));
        assert_eq!(one.names(), other.names());
        for name in one.names() {
            let bytes = |of: &TestRelease| fs::read(of.out().join(&name)).unwrap();
            assert!(bytes(&one) == bytes(&other), "{name} differs");
        }
    }

    #[test]
    fn files_of_the_repository_agree_with_the_table() {
        let release = Release::read(None).unwrap();
        let read = |release: &Release| {
            let mut claims = Claims { release, out: Path::new("/"), count: 0, faults: Vec::new() };
            repository::read(&mut claims).unwrap();
            claims.faults
        };
        assert_eq!(read(&release), [] as [String; 0]);
        let faults = read(&Release { version: "9.9.9".to_owned(), ..release.clone() }).join("\n");
        for file in ["plugins/claude-code/", "plugins/codex/"] {
            assert!(faults.contains(file), "{faults}");
        }
        let faults = read(&Release { description: "Something else.".to_owned(), ..release });
        let faults = faults.join("\n");
        for file in ["flake.nix", "packaging/container/Dockerfile"] {
            assert!(faults.contains(file), "{faults}");
        }
    }
}
