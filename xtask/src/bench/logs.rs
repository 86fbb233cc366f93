//! Logs of several kinds to measure digests with, the same in every run.

use super::text::{self, Numbers};

/// What a kind is called, and how its log is written.
pub(super) struct Kind {
    pub(super) name: &'static str,
    line: fn(&mut Numbers, usize) -> String,
}

pub(super) const KINDS: &[Kind] = &[
    Kind { name: "access log", line: request },
    Kind { name: "JSON lines", line: object },
    Kind { name: "build log", line: step },
];

impl Kind {
    /// A log of at least so many bytes.
    pub(super) fn log(&self, bytes: usize) -> Vec<u8> {
        let mut numbers = Numbers(7);
        let mut log = Vec::with_capacity(bytes + 400);
        for count in 0.. {
            if log.len() >= bytes {
                break;
            }
            log.extend_from_slice((self.line)(&mut numbers, count).as_bytes());
            log.push(b'\n');
        }
        log
    }
}

/// The log of a service as `text` has it, cut to so many bytes.
pub(super) fn service(bytes: usize) -> Vec<u8> {
    let mut log = text::log(bytes.div_ceil(1_000_000));
    log.truncate(bytes);
    log
}

fn pick<'a>(numbers: &mut Numbers, among: &[&'a str]) -> &'a str {
    among[numbers.below(among.len())]
}

fn clock(count: usize) -> String {
    format!("{:02}:{:02}:{:02}", count / 72_000 % 24, count / 1_200 % 60, count / 20 % 60)
}

fn request(numbers: &mut Numbers, count: usize) -> String {
    let client = format!("10.{}.{}.{}", numbers.below(4), numbers.below(60), numbers.below(250));
    let method = pick(numbers, &["GET", "GET", "GET", "POST"]);
    let path = match numbers.below(4) {
        0 => "/index.html".to_owned(),
        1 => format!("/static/app.{}.js", numbers.below(9)),
        2 => format!("/api/v1/users/{}/orders?page={}", numbers.below(900), numbers.below(30)),
        _ => format!("/api/v1/items/{}", numbers.below(5_000)),
    };
    let status = match numbers.below(100) {
        0 => "500",
        1..7 => "404",
        7..15 => "304",
        _ => "200",
    };
    format!(
        "{client} - - [15/Nov/2026:{} +0000] \"{method} {path} HTTP/1.1\" {status} {} \
         \"https://example.com/start\" \"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/115.0\"",
        clock(count),
        numbers.below(60_000)
    )
}

fn object(numbers: &mut Numbers, count: usize) -> String {
    let level = match numbers.below(100) {
        0 => "error",
        1..5 => "warn",
        5..20 => "debug",
        _ => "info",
    };
    let service = pick(numbers, &["api", "billing", "auth", "mail"]);
    let message = match numbers.below(3) {
        0 => "request served".to_owned(),
        1 => format!("payment accepted for order {}", numbers.below(100_000)),
        _ => "retrying upstream call".to_owned(),
    };
    format!(
        "{{\"ts\": \"2026-11-15T{}.{:03}Z\", \"level\": \"{level}\", \"service\": \"{service}\", \
         \"msg\": \"{message}\", \"user\": {}, \"ms\": {}.{:02}, \"path\": \"/v1/items/{}\", \
         \"trace\": \"{:08x}{:08x}\"}}",
        clock(count),
        count % 1_000,
        numbers.below(3_000),
        numbers.below(400),
        numbers.below(100),
        numbers.below(4_000),
        numbers.below(1 << 30),
        numbers.below(1 << 30)
    )
}

fn step(numbers: &mut Numbers, count: usize) -> String {
    match numbers.below(8) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_as_long_as_asked_for_and_the_same_each_time() {
        for kind in KINDS {
            let log = kind.log(20_000);
            assert!((20_000..20_400).contains(&log.len()), "{}", kind.name);
            assert_eq!(log, kind.log(20_000), "{}", kind.name);
        }
        assert_eq!(service(50_000).len(), 50_000);
    }
}
