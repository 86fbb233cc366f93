//! Generated logs of several kinds, equal in every run.

use super::text::{self, Rng};

/// A kind of log and the generator of its lines.
pub(super) struct LogKind {
    pub(super) name: &'static str,
    line: fn(&mut Rng, usize) -> String,
}

pub(super) const KINDS: &[LogKind] = &[
    LogKind { name: "access log", line: access_log_line },
    LogKind { name: "JSON lines", line: json_line },
    LogKind { name: "build log", line: build_log_line },
    LogKind { name: "failing test run", line: test_line },
];

impl LogKind {
    /// Returns a log of at least `bytes` bytes.
    pub(super) fn log(&self, bytes: usize) -> Vec<u8> {
        let mut rng = Rng(7);
        let mut log = Vec::with_capacity(bytes + 400);
        for count in 0.. {
            if log.len() >= bytes {
                break;
            }
            log.extend_from_slice((self.line)(&mut rng, count).as_bytes());
            log.push(b'\n');
        }
        log
    }
}

/// Returns the service log of [`text::log`], cut to `bytes` bytes.
pub(super) fn service(bytes: usize) -> Vec<u8> {
    let mut log = text::log(bytes.div_ceil(1_000_000));
    log.truncate(bytes);
    log
}

fn pick<'a>(rng: &mut Rng, choices: &[&'a str]) -> &'a str {
    choices[rng.below(choices.len())]
}

fn time_of_day(count: usize) -> String {
    format!("{:02}:{:02}:{:02}", count / 72_000 % 24, count / 1_200 % 60, count / 20 % 60)
}

fn access_log_line(rng: &mut Rng, count: usize) -> String {
    let client = format!("10.{}.{}.{}", rng.below(4), rng.below(60), rng.below(250));
    let method = pick(rng, &["GET", "GET", "GET", "POST"]);
    let path = match rng.below(4) {
        0 => "/index.html".to_owned(),
        1 => format!("/static/app.{}.js", rng.below(9)),
        2 => format!("/api/v1/users/{}/orders?page={}", rng.below(900), rng.below(30)),
        _ => format!("/api/v1/items/{}", rng.below(5_000)),
    };
    let status = match rng.below(100) {
        0 => "500",
        1..7 => "404",
        7..15 => "304",
        _ => "200",
    };
    format!(
        "{client} - - [15/Nov/2026:{} +0000] \"{method} {path} HTTP/1.1\" {status} {} \
         \"https://example.com/start\" \"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/115.0\"",
        time_of_day(count),
        rng.below(60_000)
    )
}

fn json_line(rng: &mut Rng, count: usize) -> String {
    let level = match rng.below(100) {
        0 => "error",
        1..5 => "warn",
        5..20 => "debug",
        _ => "info",
    };
    let service = pick(rng, &["api", "billing", "auth", "mail"]);
    let message = match rng.below(3) {
        0 => "request served".to_owned(),
        1 => format!("payment accepted for order {}", rng.below(100_000)),
        _ => "retrying upstream call".to_owned(),
    };
    format!(
        "{{\"ts\": \"2026-11-15T{}.{:03}Z\", \"level\": \"{level}\", \"service\": \"{service}\", \
         \"msg\": \"{message}\", \"user\": {}, \"ms\": {}.{:02}, \"path\": \"/v1/items/{}\", \
         \"trace\": \"{:08x}{:08x}\"}}",
        time_of_day(count),
        count % 1_000,
        rng.below(3_000),
        rng.below(400),
        rng.below(100),
        rng.below(4_000),
        rng.below(1 << 30),
        rng.below(1 << 30)
    )
}

fn build_log_line(rng: &mut Rng, count: usize) -> String {
    match rng.below(8) {
        0 => format!(
            "src/a_{}.c:{}:5: warning: unused variable x{} [-Wunused-variable]",
            count % 40,
            count % 900,
            count % 9
        ),
        1..4 => {
            format!("g++ -O2 -Wall -I include -c src/module_{count}.cc -o build/module_{count}.o")
        }
        _ => format!(
            "[{:3}%] Building CXX object src/core/CMakeFiles/core.dir/unit_{count}.cpp.o",
            count % 100
        ),
    }
}

fn test_line(rng: &mut Rng, count: usize) -> String {
    let subject = pick(rng, &["parses", "rejects", "keeps", "merges", "retries", "closes"]);
    let object = pick(rng, &["an_empty_list", "a_long_line", "two_writers", "the_last_page"]);
    match rng.below(500) {
        0 => format!("test module_{}::{subject}_{object}_{count} ... FAILED", count % 31),
        1 => format!("thread 'main' panicked at src/module_{}.rs:{}:9:", count % 31, count % 700),
        _ => format!("test module_{}::{subject}_{object}_{count} ... ok", count % 31),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_has_the_requested_length_and_is_deterministic() {
        for kind in KINDS {
            let log = kind.log(20_000);
            assert!((20_000..20_400).contains(&log.len()), "{}", kind.name);
            assert_eq!(log, kind.log(20_000), "{}", kind.name);
        }
        assert_eq!(service(50_000).len(), 50_000);
    }
}
