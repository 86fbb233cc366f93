//! Logs: time range and levels.

use super::{check, lines};

#[test]
fn time_range_covers_all_lines() {
    let text = lines(60, |n| format!("2026-03-01 10:00:{:02},412 INFO handled {n}", 59 - n));
    check("kubectl logs x", &text, 60, &["2026-03-01 10:00:00 .. 2026-03-01 10:00:59"], &[]);
    let requests = lines(60, |n| {
        format!(
            "10.0.0.1 - - [01/Mar/2026:10:00:{:02} +0000] \"GET /x HTTP/1.1\" 200 12",
            (n + 30) % 60
        )
    });
    let expected = ["01/Mar/2026:10:00:00 +0000 .. 01/Mar/2026:10:00:59 +0000"];
    check("cat access.log", &requests, 60, &expected, &[]);
}

#[test]
fn reads_klog_level_letters() {
    let text = lines(60, |n| {
        let level = if n % 10 == 0 { 'E' } else { 'I' };
        format!("{level}0301 10:00:{n:02}.123456       1 sync.go:10] pod {n} synced")
    });
    let expected = ["0301 10:00:00 .. 0301 10:00:59", "info: 54, error: 6"];
    check("kubectl logs x", &text, 90, &expected, &[]);
}

#[test]
fn reads_logfmt_levels_and_times() {
    let text = lines(60, |n| {
        let level = if n % 10 == 0 { "error" } else { "info" };
        format!("time=\"2026-03-01T10:00:{n:02}Z\" level={level} msg=\"handled {n}\"")
    });
    let expected = ["2026-03-01T10:00:00Z .. 2026-03-01T10:00:59Z", "info: 54, error: 6"];
    check("cat x.log", &text, 90, &expected, &[]);
}

#[test]
fn reports_log_containers() {
    let text = lines(60, |n| match n % 2 {
        0 => format!("worker-1  | [2026-03-01 10:00:{n:02}] INFO: job {n} done"),
        _ => format!(
            "web-1     | 10.0.0.1 - - [01/Mar/2026:10:00:{n:02} +0000] \"GET /{n} HTTP/1.1\" 200 12"
        ),
    });
    let expected = ["worker-1: 30", "web-1: 30", "INFO: 30", "2026-03-01 10:00:00 .. "];
    check("docker compose logs", &text, 120, &expected, &[]);
}

#[test]
fn reads_numeric_levels() {
    let text = lines(100, |n| {
        let level = if n == 42 { 60 } else { 30 };
        format!(
            "{{\"level\": {level}, \"time\": {}, \"msg\": \"request {n} done\"}}",
            1_778_000_000 + n
        )
    });
    check("docker logs x", &text, 100, &["request 42 done\"}\n", "60: 1"], &["×"]);
}

#[test]
fn reports_severities_before_messages() {
    let text = lines(100, |n| {
        let severity = if n % 25 == 0 { "ERROR" } else { "INFO" };
        format!("{{\"severity\": \"{severity}\", \"message\": \"did the thing {n}\"}}")
    });
    check("gcloud logging read", &text, 100, &["INFO: 96, ERROR: 4"], &[]);
}

#[test]
fn tolerates_a_few_other_lines_among_json_lines() {
    let text = lines(60, |n| format!("{{\"id\": {n}, \"kind\": \"a\"}}"))
        + "# broken package\nFAIL broken\n";
    check("./stream", &text, 100, &["60 objects; 2 other lines", "FAIL broken"], &[]);
}

#[test]
fn words_of_messages_are_not_levels() {
    let text = lines(60, |n| format!("2026-03-01 10:00:{n:02} worker handled an error of job {n}"));
    check("cat x.log", &text, 90, &["log: 60 entries"], &["levels"]);
}
