//! `forebay upgrade` for a program from an archive: good releases, bad ones, and the way back.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::env::{Output, TestEnv, finish};
use crate::release_server::{
    Behaviour, INSTALLED, Installation, NEWER, Publisher, ReleaseServer, program_with_version,
    script, tar_gz,
};

/// The target triple in the names of archives.
const TARGET: &str = forebay_app::upgrade::TARGET;

/// Asserts that an upgrade failed with this error and hint, and left everything as it was.
#[track_caller]
fn assert_unchanged(installed: &Installation<'_>, output: &Output, message: &str, hint: &str) {
    assert!(!output.status.success(), "{output:?}");
    let (error, advice) = output.stderr.split_once("\nhint: ").unwrap_or((&output.stderr, ""));
    assert!(error.contains(message) && advice.contains(hint), "{}", output.stderr);
    assert_eq!(installed.files().0, ["forebay"], "nothing is left behind");
    assert_eq!(installed.version(), format!("forebay {INSTALLED}"));
}

#[test]
fn a_signed_release_replaces_the_program_and_the_version_before_is_kept() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    fs::remove_file(&installed.executable).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_forebay"), &installed.executable).unwrap();
    fs::set_permissions(&installed.executable, Permissions::from_mode(0o710)).unwrap();
    publisher.publish(NEWER, &script(NEWER));
    let server = ReleaseServer::start(&publisher.folder);
    let output = installed.upgrade(&server.url, &publisher.key(), &[]).ok();
    assert!(output.text().contains(&format!("forebay {INSTALLED} -> {NEWER}")), "{output:?}");
    assert!(output.text().contains("--rollback"), "{output:?}");
    assert_eq!(installed.version(), format!("forebay {NEWER}"));
    assert_eq!(
        installed.files(),
        (vec![".forebay.previous".to_owned(), "forebay".to_owned()], 0o710)
    );
    let before = fs::read(installed.executable.with_file_name(".forebay.previous")).unwrap();
    assert!(before == fs::read(env!("CARGO_BIN_EXE_forebay")).unwrap(), "the version before");
    let archive = publisher.archive(NEWER).file_name().unwrap().to_string_lossy().into_owned();
    let requests = server.requests.lock().unwrap().clone();
    assert_eq!(requests, ["/release.json", "/release.json.minisig", &format!("/{archive}")]);
}

#[test]
fn check_only_tells() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &script(NEWER));
    let output = installed.upgrade_from(&publisher, &["--check", "--json"]).ok();
    let expect = json!({
        "installed": INSTALLED, "available": NEWER, "published": "2026-11-18", "newer": true,
        "channel": "archive", "command": "forebay upgrade",
    });
    assert_eq!(output.json(), expect);
    publisher.publish(INSTALLED, &script(INSTALLED));
    let output = installed.upgrade_from(&publisher, &["--check"]).ok();
    assert!(output.text().contains(&format!("the newest release is {INSTALLED}")), "{output:?}");
    let output = installed.upgrade_from(&publisher, &[]).ok();
    assert!(output.text().contains("nothing newer"), "{output:?}");
    assert_eq!(installed.files().0, ["forebay"]);
}

#[test]
fn what_was_not_signed_is_refused() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    let path = |name: &str| publisher.folder.join(name);
    publisher.publish(NEWER, &script(NEWER));
    let stranger = minisign::KeyPair::generate_unencrypted_keypair().unwrap().pk.to_base64();
    let from = publisher.folder.to_string_lossy().into_owned();
    let output = installed.upgrade("", &stranger, &["--from", &from]);
    assert_unchanged(&installed, &output, "signature", "key");

    let manifest = fs::read_to_string(path("release.json")).unwrap();
    fs::write(path("release.json"), manifest.replace(NEWER, "0.3.0")).unwrap();
    let output = installed.upgrade_from(&publisher, &[]);
    assert_unchanged(&installed, &output, "signature of release.json does not match", "");
    fs::write(path("release.json"), &manifest).unwrap();

    fs::write(path("release.json.minisig"), "no signature").unwrap();
    let output = installed.upgrade_from(&publisher, &[]);
    assert_unchanged(&installed, &output, "signature of release.json does not match", "");
    publisher.sign(&manifest);

    let mut archive = fs::read(publisher.archive(NEWER)).unwrap();
    let last = archive.len() - 20;
    archive[last] ^= 1;
    fs::write(publisher.archive(NEWER), &archive).unwrap();
    let output = installed.upgrade_from(&publisher, &[]);
    assert_unchanged(&installed, &output, "SHA-256 differs", "try again");
}

#[test]
fn a_signed_release_that_is_faulty_is_refused() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    let program = format!("forebay-{NEWER}-{TARGET}/forebay");
    let upgrade = || installed.upgrade_from(&publisher, &[]);

    publisher.sign("{}");
    assert_unchanged(&installed, &upgrade(), "release.json is invalid", "report it");
    publisher.sign(&json!({ "version": NEWER, "published": "", "archives": {} }).to_string());
    assert_unchanged(&installed, &upgrade(), &format!("no archive for {TARGET}"), "sources");
    let outside = json!({ TARGET: { "name": "../x.tar.gz", "sha256": "", "size": 1 } });
    publisher.sign(&json!({ "version": NEWER, "published": "", "archives": outside }).to_string());
    assert_unchanged(&installed, &upgrade(), "not the name of a file beside it", "");

    publisher.publish_archive(NEWER, b"no archive");
    assert_unchanged(&installed, &upgrade(), "the archive of 0.2.0 is invalid", "report it");
    let elsewhere = format!("{}/forebay", env.root().display());
    let names = ["../../forebay", &elsewhere, "forebay", "./forebay", &program[1..]];
    let files: Vec<(String, Vec<u8>)> =
        names.iter().map(|name| ((*name).to_owned(), script(NEWER))).collect();
    publisher.publish_archive(NEWER, &tar_gz(&files));
    assert_unchanged(&installed, &upgrade(), &format!("it has no file {program}"), "");
    assert!(!env.root().join("forebay").exists(), "only one file is unpacked");

    publisher.publish(NEWER, &script("0.3.0"));
    assert_unchanged(&installed, &upgrade(), "it is version 0.3.0", "");
    publisher.publish(NEWER, b"#!/bin/sh\necho 'needs GLIBC 9' >&2; exit 1\n");
    assert_unchanged(&installed, &upgrade(), "needs GLIBC 9", "newer system");
    publisher.publish(NEWER, b"\x7fELF no program");
    assert_unchanged(&installed, &upgrade(), "does not start here", "");
}

#[test]
fn a_link_in_an_archive_is_not_followed() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    let name = format!("forebay-{NEWER}-{TARGET}/forebay");
    archive.append_link(&mut header, name, "/bin/true").unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &archive.into_inner().unwrap()).unwrap();
    publisher.publish_archive(NEWER, &packed.finish().unwrap());
    let output = installed.upgrade_from(&publisher, &[]);
    assert_unchanged(&installed, &output, "it has no file", "");
}

#[test]
fn a_server_that_fails_changes_nothing() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &script(NEWER));
    for (file, behaviour, message) in [
        (".tar.gz", Behaviour::CutAfter(1000), "release"),
        (".tar.gz", Behaviour::HangAfter(1000), "did not answer"),
        ("release.json", Behaviour::HangAfter(0), "did not answer"),
        ("release.json.minisig", Behaviour::CutAfter(10), "http"),
        ("release.json", Behaviour::RedirectTo("file:///etc/passwd".to_owned()), "redirects to"),
        ("release.json", Behaviour::RedirectTo("/release.json".to_owned()), "redirects"),
    ] {
        let told = behaviour.clone();
        let server = ReleaseServer::with_behaviour(&publisher.folder, move |path| {
            if path.ends_with(file) { told.clone() } else { Behaviour::Send }
        });
        let arguments = ["--set", "upgrade.timeout_ms=700"];
        let output = installed.upgrade(&server.url, &publisher.key(), &arguments);
        let message = if message == "release" { "forebay-0.2.0" } else { message };
        assert_unchanged(&installed, &output, message, "upgrade.url");
    }
    let output = installed.upgrade("http://127.0.0.1:9", &publisher.key(), &[]);
    assert_unchanged(&installed, &output, "http://127.0.0.1:9", "--from");
    let empty = ReleaseServer::start(&env.project());
    let output = installed.upgrade(&empty.url, &publisher.key(), &[]);
    assert_unchanged(&installed, &output, "404", "upgrade.url");
}

#[test]
fn redirects_are_followed_and_a_proxy_is_used() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &script(NEWER));
    let store = ReleaseServer::start(&publisher.folder);
    let base = store.url.clone();
    let front = ReleaseServer::with_behaviour(&publisher.folder, move |path| {
        Behaviour::RedirectTo(format!("{base}/elsewhere{path}"))
    });
    let output = installed.upgrade(&front.url, &publisher.key(), &["--check"]).ok();
    assert!(output.text().contains(NEWER), "{output:?}");
    assert_eq!(store.requests.lock().unwrap()[0], "/elsewhere/release.json");

    let proxy = ReleaseServer::start(&publisher.folder);
    let url = "http://releases.example/forebay";
    let through = |name: &str, value: &str| {
        let mut command = installed.upgrade_command(url, &publisher.key(), &["--check"]);
        command.env("HTTP_PROXY", &proxy.url).env(name, value);
        finish(command, b"")
    };
    through("X", "").ok();
    assert_eq!(proxy.requests.lock().unwrap()[0], "/forebay/release.json");
    let output = through("NO_PROXY", "releases.example");
    assert_unchanged(&installed, &output, "releases.example", "HTTPS_PROXY");
}

#[test]
fn an_older_version_must_be_named() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish("0.0.9", &script("0.0.9"));
    let output = installed.upgrade_from(&publisher, &[]);
    assert_unchanged(&installed, &output, "older than the installed 0.1.0", "--version 0.0.9");
    let output = installed.upgrade_from(&publisher, &["--version", "0.0.8"]);
    assert_unchanged(&installed, &output, "there is no release 0.0.8", "--version 0.0.9");
    let output = installed.upgrade_from(&publisher, &["--version", "next"]);
    assert_unchanged(&installed, &output, "invalid value 'next'", "");
    installed.upgrade_from(&publisher, &["--version", "0.0.9"]).ok();
    assert_eq!(installed.version(), "forebay 0.0.9");
}

#[test]
fn a_version_is_found_in_a_folder_of_its_own() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish("0.0.9", &script("0.0.9"));
    let old = publisher.folder.join("v0.0.9");
    fs::create_dir(&old).unwrap();
    for entry in fs::read_dir(&publisher.folder).unwrap().flatten() {
        if entry.path().is_file() {
            fs::rename(entry.path(), old.join(entry.file_name())).unwrap();
        }
    }
    publisher.publish(NEWER, &script(NEWER));
    installed.upgrade_from(&publisher, &["--version", "0.0.9"]).ok();
    assert_eq!(installed.version(), "forebay 0.0.9");
}

#[test]
fn an_archive_beside_its_manifest_is_installed_without_network() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &script(NEWER));
    let elsewhere = publisher.folder.join("downloaded.tar.gz");
    fs::rename(publisher.archive(NEWER), &elsewhere).unwrap();
    let missing = publisher.folder.join("no-such.tar.gz").to_string_lossy().into_owned();
    let output = installed.upgrade("", &publisher.key(), &["--from", &missing]);
    assert_unchanged(&installed, &output, "no-such.tar.gz", "release.json.minisig");
    let from = elsewhere.to_string_lossy().into_owned();
    installed.upgrade("", &publisher.key(), &["--from", &from]).ok();
    assert_eq!(installed.version(), format!("forebay {NEWER}"));
}

#[test]
fn a_build_without_server_and_key_says_what_to_do() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &script(NEWER));
    let output = installed.upgrade("", "", &[]);
    assert_unchanged(&installed, &output, "names no release server", "upgrade.url");
    let output = installed.upgrade("http://127.0.0.1:9", "RWnonsense", &[]);
    assert_unchanged(&installed, &output, "no minisign public key", "RW");
    let from = publisher.folder.to_string_lossy().into_owned();
    let output = installed.upgrade("", "", &["--from", &from]);
    assert_unchanged(&installed, &output, "no key to verify releases", "upgrade.key");
}

#[test]
fn the_way_back_and_forth() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    let roll_back = || installed.upgrade("", "", &["--rollback"]);
    assert_unchanged(&installed, &roll_back(), "no version before", "--version");
    publisher.publish(NEWER, &program_with_version(NEWER));
    installed.upgrade_from(&publisher, &[]).ok();
    for version in [INSTALLED, NEWER, INSTALLED] {
        let output = roll_back().ok();
        assert!(output.text().contains(&format!("-> {version}")), "{output:?}");
        assert_eq!(installed.version(), format!("forebay {version}"));
        assert_eq!(installed.files().0, [".forebay.previous", "forebay"]);
    }
}

/// A newer version may have settings that this one does not know.
#[test]
fn unknown_settings_do_not_hinder_an_upgrade() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &script(NEWER));
    fs::create_dir_all(env.data()).unwrap();
    let settings = format!("[upgrade]\nkey = \"{}\"\n[later]\nfeature = true\n", publisher.key());
    fs::write(env.data().join("settings.toml"), settings).unwrap();
    let from = publisher.folder.to_string_lossy().into_owned();
    let output = installed.upgrade("", "", &["--from", &from]).ok();
    assert!(output.stderr.contains("later"), "{output:?}");
    assert_eq!(installed.version(), format!("forebay {NEWER}"));
}
