//! Signed releases in a folder, a server for them, and an installed program that they replace.

use std::fs;
use std::io::{BufRead, BufReader, Cursor, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use forebay_app::upgrade::TARGET;
use minisign::KeyPair;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::env::{Output, TestEnv, finish};

/// The version of the program that the tests start with.
pub(crate) const INSTALLED: &str = env!("CARGO_PKG_VERSION");
/// A version above it.
pub(crate) const NEWER: &str = "0.2.0";

/// A folder with a release, and the keys that it is signed with.
pub(crate) struct Publisher {
    keys: KeyPair,
    pub(crate) folder: PathBuf,
}

impl Publisher {
    pub(crate) fn new(env: &TestEnv) -> Self {
        let folder = env.root().join("releases");
        fs::create_dir(&folder).unwrap();
        Self { keys: KeyPair::generate_unencrypted_keypair().unwrap(), folder }
    }

    pub(crate) fn key(&self) -> String {
        self.keys.pk.to_base64()
    }

    /// Publishes a release whose archive has the usual layout.
    pub(crate) fn publish(&self, version: &str, program: &[u8]) {
        let top = format!("forebay-{version}-{TARGET}");
        let readme = (format!("{top}/README.md"), b"# Forebay".to_vec());
        self.publish_archive(
            version,
            &tar_gz(&[readme, (format!("{top}/forebay"), program.to_vec())]),
        );
    }

    pub(crate) fn publish_archive(&self, version: &str, archive: &[u8]) {
        let name = archive_name(version);
        fs::write(self.folder.join(&name), archive).unwrap();
        let sha256: String =
            Sha256::digest(archive).iter().map(|byte| format!("{byte:02x}")).collect();
        let archives = json!({ TARGET: { "name": name, "sha256": sha256, "size": archive.len() } });
        self.sign(
            &json!({ "version": version, "published": "2026-11-18", "archives": archives })
                .to_string(),
        );
    }

    /// Writes a manifest with its signature.
    pub(crate) fn sign(&self, manifest: &str) {
        let signature =
            minisign::sign(Some(&self.keys.pk), &self.keys.sk, Cursor::new(manifest), None, None);
        fs::write(self.folder.join("release.json"), manifest).unwrap();
        fs::write(self.folder.join("release.json.minisig"), signature.unwrap().to_string())
            .unwrap();
    }

    /// The path of the archive of a version.
    pub(crate) fn archive(&self, version: &str) -> PathBuf {
        self.folder.join(archive_name(version))
    }
}

fn archive_name(version: &str) -> String {
    format!("forebay-{version}-{TARGET}.tar.gz")
}

/// Packs files under names that the library would refuse, too.
pub(crate) fn tar_gz(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::none()));
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o755);
        header.set_cksum();
        archive.append(&header, content.as_slice()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// A program that can only tell its version.
pub(crate) fn script(version: &str) -> Vec<u8> {
    format!("#!/bin/sh\necho 'forebay {version}'\n").into_bytes()
}

/// The program under test with another version: the same bytes but for the number.
pub(crate) fn program_with_version(version: &str) -> Vec<u8> {
    assert_eq!(version.len(), INSTALLED.len());
    let mut program = fs::read(env!("CARGO_BIN_EXE_forebay")).unwrap();
    let found: Vec<usize> = memchr::memmem::find_iter(&program, INSTALLED).collect();
    for at in found {
        program[at..at + version.len()].copy_from_slice(version.as_bytes());
    }
    program
}

/// A program that was installed from an archive.
pub(crate) struct Installation<'a> {
    pub(crate) env: &'a TestEnv,
    pub(crate) executable: PathBuf,
}

impl<'a> Installation<'a> {
    pub(crate) fn new(env: &'a TestEnv) -> Self {
        Self::installed_at(env, &env.root().join("bin/forebay"))
    }

    pub(crate) fn installed_at(env: &'a TestEnv, executable: &Path) -> Self {
        fs::create_dir_all(executable.parent().unwrap()).unwrap();
        let built = env!("CARGO_BIN_EXE_forebay");
        fs::hard_link(built, executable)
            .or_else(|_| fs::copy(built, executable).map(drop))
            .unwrap();
        Self { env, executable: executable.to_owned() }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.env.program(self.executable.to_str().unwrap());
        command.args(arguments);
        command
    }

    /// The command `forebay upgrade` with a server and a key.
    pub(crate) fn upgrade_command(&self, url: &str, key: &str, arguments: &[&str]) -> Command {
        let mut command = self.command(&["upgrade"]);
        command.args(arguments).env("FOREBAY_UPGRADE_URL", url).env("FOREBAY_UPGRADE_KEY", key);
        command
    }

    pub(crate) fn upgrade(&self, url: &str, key: &str, arguments: &[&str]) -> Output {
        finish(self.upgrade_command(url, key, arguments), b"")
    }

    /// Upgrades from the publisher's folder, without a server.
    pub(crate) fn upgrade_from(&self, publisher: &Publisher, arguments: &[&str]) -> Output {
        let folder = publisher.folder.to_string_lossy().into_owned();
        let arguments = [arguments, &["--from", &folder]].concat();
        self.upgrade("http://127.0.0.1:1", &publisher.key(), &arguments)
    }

    /// The version that the installed program prints.
    #[track_caller]
    pub(crate) fn version(&self) -> String {
        finish(self.command(&["--version"]), b"").ok().text()
    }

    /// The files beside the executable, and its mode.
    pub(crate) fn files(&self) -> (Vec<String>, u32) {
        let folder = fs::read_dir(self.executable.parent().unwrap()).unwrap();
        let mut names: Vec<String> =
            folder.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        (names, fs::metadata(&self.executable).unwrap().permissions().mode() & 0o777)
    }
}

/// What the server does with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Send,
    /// Announces the whole file and closes the connection after this many bytes.
    CutAfter(usize),
    /// Sends this many bytes and nothing more.
    HangAfter(usize),
    RedirectTo(String),
}

/// A server for the files of a folder; it also acts as a proxy for any host.
pub(crate) struct ReleaseServer {
    pub(crate) url: String,
    /// The paths that were requested, in order.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

impl ReleaseServer {
    pub(crate) fn start(folder: &Path) -> Self {
        Self::with_behaviour(folder, |_| Behaviour::Send)
    }

    pub(crate) fn with_behaviour(
        folder: &Path,
        behaviour: impl Fn(&str) -> Behaviour + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (folder, log, behaviour) =
            (folder.to_owned(), Arc::clone(&requests), Arc::new(behaviour));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folder, log, behaviour) =
                    (folder.clone(), Arc::clone(&log), Arc::clone(&behaviour));
                thread::spawn(move || serve(stream, &folder, &log, &*behaviour));
            }
        });
        Self { url, requests }
    }
}

/// Answers one request; an error means that the client is gone.
fn serve(
    mut stream: TcpStream,
    folder: &Path,
    log: &Mutex<Vec<String>>,
    behaviour: &dyn Fn(&str) -> Behaviour,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut target = read_request(&mut reader)?;
    if !target.contains('/') {
        // CONNECT: the tunnel ends here.
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").ok()?;
        target = read_request(&mut reader)?;
    }
    let path = match target.split_once("://") {
        Some((_, rest)) => rest[rest.find('/')?..].to_owned(),
        None => target,
    };
    log.lock().unwrap().push(path.clone());
    let name = path.rsplit('/').next()?;
    let (content, length) = match behaviour(&path) {
        Behaviour::RedirectTo(location) => {
            let head =
                format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
            return stream.write_all(head.as_bytes()).ok();
        }
        _ if !folder.join(name).is_file() => {
            return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").ok();
        }
        Behaviour::Send => whole(&folder.join(name)),
        Behaviour::CutAfter(bytes) | Behaviour::HangAfter(bytes) => {
            let (mut content, length) = whole(&folder.join(name));
            content.truncate(bytes);
            (content, length)
        }
    };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&content)).ok()?;
    if matches!(behaviour(&path), Behaviour::HangAfter(_)) {
        // Returns when the client gives up.
        let _ = reader.read_line(&mut String::new());
    }
    Some(())
}

fn whole(path: &Path) -> (Vec<u8>, usize) {
    let content = fs::read(path).unwrap();
    let length = content.len();
    (content, length)
}

/// Reads the head of a request and returns its target.
fn read_request(reader: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    head.split(' ').nth(1).map(str::to_owned)
}
