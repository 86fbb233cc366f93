//! Tests of the whole redactor: every row's samples, any split, any bytes.

use std::sync::Arc;

use proptest::prelude::*;

use super::literals;
use super::rows::{self, Row};
use super::scanner::Scanner;
use super::shown::Shown;
use super::{Redactions, Redactor};

fn redact(text: &str) -> (String, Redactions) {
    let (clean, redactions) = Redactor::default().redact(text.as_bytes());
    (String::from_utf8(clean.into_owned()).unwrap(), redactions)
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(redact(text).0, expect);
}

/// A sample with each `«secret»` replaced.
fn with_marked(sample: &str, stand_in: impl Fn(&str) -> String) -> String {
    let replace = |piece: &str| match piece.split_once('»') {
        Some((secret, rest)) => stand_in(secret) + rest,
        None => piece.to_owned(),
    };
    sample.split('«').map(replace).collect()
}

#[test]
fn every_row_has_both_kinds_of_samples() {
    for row in rows::all() {
        assert!(
            row.literals.iter().all(|literal| literal.len() >= literals::KEY_BYTES),
            "{}",
            row.kind
        );
        assert!(!row.literals.is_empty(), "{}", row.kind);
        assert!(!row.spares.is_empty(), "{}", row.kind);
        assert!(row.redacts.iter().any(|sample| sample.contains('«')), "{}", row.kind);
    }
}

#[test]
fn rows_find_exactly_their_secrets() {
    fn finds_exactly(row: &'static Row) {
        let alone = Redactor::using(Arc::new(Scanner::new(std::iter::once(row), Vec::new())));
        for sample in row.redacts {
            let raw = with_marked(sample, str::to_owned);
            let expect = with_marked(sample, |_| format!("[redacted:{}]", row.kind));
            let clean = alone.redact(raw.as_bytes()).0.into_owned();
            assert_eq!(String::from_utf8(clean).unwrap(), expect, "{}", row.kind);
        }
    }
    rows::all().for_each(finds_exactly);
}

#[test]
fn all_rows_together_redact_exactly_the_secrets() {
    for row in rows::all() {
        for sample in row.redacts {
            let clean = redact(&with_marked(sample, str::to_owned)).0;
            with_marked(sample, |secret| {
                assert!(!clean.contains(secret), "{}: {clean}", row.kind);
                String::new()
            });
        }
        for sample in row.spares {
            assert_eq!(redact(sample).0, *sample, "{}", row.kind);
        }
    }
}

#[test]
fn redaction_is_idempotent() {
    for row in rows::all() {
        for sample in row.redacts {
            let once = redact(&with_marked(sample, str::to_owned)).0;
            assert_eq!(redact(&once).0, once);
        }
    }
}

#[test]
fn ordinary_output_is_unchanged() {
    for line in [
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "index 0123456..89abcde 100644",
        "\"integrity\": \"sha512-Ej1mT2bQd0Zq3C7p8b9Z0vN1YxK5aWc4uR6sT2oL9iH3gF8eD7cB6aA5zY4xX3wW==\",",
        "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "request_id=550e8400-e29b-41d4-a716-446655440000 status=200",
        "src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\"",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "Downloaded https://static.crates.io/crates/aho-corasick/1.1.5/download",
        "error[E0425]: cannot find value `token` in this scope",
        "  --> src/parser/token.rs:42:13",
        "thread 'auth::tests::token_expires' panicked at src/auth.rs:7:9",
        "docker pull ghcr.io/a/b@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "h1:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b=",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtGGWmXx9Tn7cR me@host",
        "AIRFLOW__CORE__FERNET_KEY is not set",
        "resolved \"https://registry.npmjs.org/token-types/-/token-types-4.2.1.tgz#0f897f03665846982806e138977dbe72d44df753\"",
    ] {
        assert_eq!(redact(line).0, line);
    }
}

#[test]
fn the_most_specific_kind_wins() {
    let token = concat!("gh", "p_16C7e42F292c6912E7710c838347Ae178B4a");
    check(&format!("GITHUB_TOKEN={token}"), "GITHUB_TOKEN=[redacted:github-token]");
    check(
        &format!("Authorization: Bearer {token}"),
        "Authorization: Bearer [redacted:github-token]",
    );
    let (_, redactions) = redact(&format!("{token}\npassword=hunter2\n{token}"));
    assert_eq!(redactions.to_string(), "redacted: 2 github tokens, 1 password");
}

const KEY_LINE: &str = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MaU5wW8o7sVdWkzq";

fn key(prefix: &str, body: &[&str]) -> String {
    let label = concat!("RSA PRIV", "ATE KEY-----");
    let lines: String = body.iter().map(|line| format!("{prefix}{line}\n")).collect();
    format!("a\n{prefix}-----BEGIN {label}\n{lines}{prefix}-----END {label}\nz\n")
}

#[test]
fn private_keys_are_replaced_line_by_line() {
    let gone = "[redacted:private-key]";
    for prefix in ["", "    ", "12-", "+", "2024-01-01T00:00:00Z "] {
        let raw = key(prefix, &[KEY_LINE, KEY_LINE, "AbCdEf=="]);
        let (clean, redactions) = redact(&raw);
        assert!(!clean.contains("MIIE") && !clean.contains("AbCd"), "{clean}");
        assert_eq!(clean.lines().count(), raw.lines().count());
        assert_eq!(redactions.to_string(), "redacted: 1 private key");
    }
    check(&key("", &[KEY_LINE, "AbCdEf=="]), &key("", &[gone, gone]));
    check(
        &key(
            "",
            &[
                "Proc-Type: 4,ENCRYPTED",
                "DEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF",
                "",
                KEY_LINE,
                "=aBcD",
            ],
        ),
        &key(
            "",
            &[
                "Proc-Type: 4,ENCRYPTED",
                "DEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF",
                "",
                gone,
                gone,
            ],
        ),
    );
    check(
        &key("  \"", &[&format!("{KEY_LINE}\\n\" +")]),
        &key("  \"", &[&format!("{gone}\\n\" +")]),
    );
}

#[test]
fn mentions_of_a_key_are_unchanged() {
    let opening = concat!("-----BEGIN PRIV", "ATE KEY-----\n");
    for text in [
        format!("{opening}ok\ndone\n"),
        format!("{opening}the next line\n{KEY_LINE}\n"),
        format!("found {opening}\n\nTests passed\n"),
        concat!(
            "-----BEGIN PUB",
            "LIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----\n"
        )
        .to_owned(),
    ] {
        check(&text, &text);
    }
}

#[test]
fn secret_variable_values_are_replaced_anywhere() {
    let redactor =
        Redactor::with_values([("DEPLOY_KEY", "blue Horse-7"), ("EDITOR", "an-editor-1")]);
    let (clean, redactions) = redactor.redact(b"xblue Horse-7y Blue horse-7 an-editor-1");
    assert_eq!(*clean, *b"x[redacted:environment-value]y Blue horse-7 an-editor-1");
    assert_eq!(redactions.total(), 1);
    assert!(!format!("{redactor:?}").contains("Horse"));
}

#[test]
fn incomplete_lines_are_flushed_unless_a_secret_may_have_started() {
    let mut redactor = Redactor::default();
    let mut out = Vec::new();
    redactor.push(b"working", &mut |piece| out.extend_from_slice(piece));
    assert_eq!(out, b"");
    redactor.flush_decided(&mut |piece| out.extend_from_slice(piece));
    assert_eq!(out, b"working");
    redactor.push(b" on PASSWORD=hun", &mut |piece| out.extend_from_slice(piece));
    redactor.flush_decided(&mut |piece| out.extend_from_slice(piece));
    assert_eq!(out, b"working");
    redactor.push(b"ter2\n", &mut |piece| out.extend_from_slice(piece));
    assert_eq!(out, b"working on PASSWORD=[redacted:password]\n");
}

#[test]
fn endless_lines_pass_in_bounded_memory() {
    let token = concat!("gh", "p_16C7e42F292c6912E7710c838347Ae178B4a");
    let filler = "lorem ipsum dolor ".repeat(2_000);
    let line = format!("{filler}{token} {filler}{token} {filler}");
    let expect = line.replace(token, "[redacted:github-token]");
    check(&line, &expect);
    for size in [1_000, 4_099, 70_000] {
        assert_eq!(String::from_utf8(in_pieces(line.as_bytes(), &[size])).unwrap(), expect);
    }
}

/// Redacts in pieces of these sizes, cyclically.
fn in_pieces(mut raw: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut redactor = Redactor::default();
    let mut clean = Vec::new();
    for size in sizes.iter().cycle() {
        let (piece, rest) = raw.split_at(raw.len().min(*size));
        redactor.push(piece, &mut |bytes| clean.extend_from_slice(bytes));
        raw = rest;
        if raw.is_empty() {
            break;
        }
    }
    redactor.finish(&mut |bytes| clean.extend_from_slice(bytes));
    clean
}

/// Samples, their prefixes and arbitrary bytes, concatenated.
fn mixture() -> impl Strategy<Value = Vec<u8>> {
    let samples: Vec<String> = rows::all()
        .flat_map(|row| row.redacts.iter().chain(row.spares))
        .map(|sample| with_marked(sample, str::to_owned))
        .chain([key("", &[KEY_LINE, KEY_LINE, "AbCd="]), key("  ", &[KEY_LINE])])
        .collect();
    let sample = prop::sample::select(samples).prop_map(String::into_bytes);
    let cut = (sample.clone(), any::<prop::sample::Index>())
        .prop_map(|(bytes, end)| bytes[..end.index(bytes.len())].to_vec());
    let foreign = prop::collection::vec(any::<u8>(), 0..40);
    let newline = Just(b"\n".to_vec());
    let long = (0_usize..40_000).prop_map(|count| b"base64 ".repeat(count / 7));
    let piece = prop_oneof![6 => sample, 3 => cut, 3 => foreign, 4 => newline, 1 => long];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn result_does_not_depend_on_the_split(raw in mixture(), sizes in prop::collection::vec(1_usize..9_000, 1..6)) {
        prop_assert_eq!(in_pieces(&raw, &sizes), &*Redactor::default().redact(&raw).0);
    }

    #[test]
    fn line_count_is_preserved(raw in mixture()) {
        let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        prop_assert_eq!(lines(&Redactor::default().redact(&raw).0), lines(&raw));
    }

    #[test]
    fn bytes_without_a_literal_are_unchanged(raw: Vec<u8>) {
        let scanner = Scanner::builtin();
        prop_assume!(scanner.find(&raw, 0, raw.len()).is_empty());
        prop_assert_eq!(&*Redactor::default().redact(&raw).0, &*raw);
    }

    #[test]
    fn no_row_panics(raw in mixture()) {
        // `scan` catches panics, so call the rows directly.
        Scanner::builtin().find(&raw, 0, raw.len());
    }
}

#[test]
fn redacts_what_a_terminal_shows() {
    let token = concat!("ghp_", "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2");
    let (start, end) = token.split_at(9);
    let coloured = format!("x {start}\u{1b}[01;31m\u{1b}[K{end}\u{1b}[m y\n");
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let struck: String = token.chars().map(|c| format!("{c}\u{8}{c}")).collect();
    let redactor = Redactor::default();
    for text in [
        coloured.into_bytes(),
        utf16(&format!("line\nx {token} y\nline\n")),
        format!("x {struck} y\n").into_bytes(),
        b"pass\x1b[1mword\x1b[0m=hun\x1b[1mter2\x1b[0m\n".to_vec(),
    ] {
        let (clean, redactions) = redactor.redact(&text);
        assert_eq!(redactions.iter().count(), 1, "{}", String::from_utf8_lossy(&clean));
        let shown: Vec<u8> = clean.iter().copied().filter(|byte| *byte != 0).collect();
        let shown = String::from_utf8_lossy(&shown);
        assert!(shown.contains("[redacted:"), "{shown}");
        assert!(!shown.contains("hun") && !shown.contains(&end[..8]), "{shown}");
        // However the bytes are split.
        for size in [1, 3, 7] {
            let mut split = redactor.fresh();
            let mut pieces = Vec::new();
            text.chunks(size)
                .for_each(|piece| split.push(piece, &mut |bytes| pieces.extend_from_slice(bytes)));
            split.finish(&mut |bytes| pieces.extend_from_slice(bytes));
            assert_eq!(pieces, *clean, "pieces of {size}");
        }
    }
    let plain = "\u{1b}[32mok\u{1b}[0m a\0b\n";
    assert_eq!(&*redactor.redact(plain.as_bytes()).0, plain.as_bytes());
}

/// A private key whose every line has a colour in its middle, as `grep --color` and `bat` print it.
#[test]
fn redacts_private_keys_that_are_coloured_or_wide() {
    let line =
        |number: usize| format!("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{number:04}BKcwggSjAgEAAoIBAQC7");
    let body: Vec<String> = (0..6).map(line).collect();
    let begin = concat!("-----BEGIN ", "RSA PRIVATE KEY-----");
    let end = concat!("-----END ", "RSA PRIVATE KEY-----");
    let key = format!("before\n{begin}\n{}\n{end}\nafter\n", body.join("\n"));
    let coloured: String = key
        .lines()
        .map(|line| {
            let (start, end) = line.split_at(line.len() / 2);
            format!("\u{1b}[38;5;81m{start}\u{1b}[01;31m{end}\u{1b}[0m\n")
        })
        .collect();
    let wide = |bytes: fn(u16) -> [u8; 2]| key.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let with_plain_body = key.replace(begin, "\u{1b}[1m-----BEG\u{1b}[0mIN RSA PRIVATE KEY-----");
    for text in [
        coloured.into_bytes(),
        with_plain_body.into_bytes(),
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
    ] {
        for size in [1, 5, 64, text.len()] {
            let mut redactor = Redactor::default();
            let mut clean = Vec::new();
            for piece in text.chunks(size) {
                redactor.push(piece, &mut |bytes| clean.extend_from_slice(bytes));
                redactor.flush_decided(&mut |bytes| clean.extend_from_slice(bytes));
            }
            let redactions = redactor.finish(&mut |bytes| clean.extend_from_slice(bytes));
            let shown = Shown::from_text(&clean).map_or(clean.clone(), |shown| shown.bytes);
            let shown = String::from_utf8_lossy(&shown).into_owned();
            assert!(!shown.contains("MIIEvQ") && !shown.contains("BKcwgg"), "{size}: {shown}");
            assert!(shown.contains("before") && shown.contains("after"), "{size}: {shown}");
            assert_eq!(redactions.iter().map(|(_, count)| count).sum::<u64>(), 1, "{size}");
        }
    }
}
