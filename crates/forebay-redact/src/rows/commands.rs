//! Passwords in the options of programs: `mysql -pSECRET`.

use super::super::match_context::{MatchContext, Report};
use super::super::random;
use super::{Row, Shape};

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: "password",
        literals: &["mysql", "mariadb"],
        shape: Shape::Around(mysql),
        redacts: &[
            "mysql -u root -p«hunter2» db",
            "mysqldump -uroot -p'«hunter 2»' --all-databases",
            "/usr/bin/mariadb -h db -p«s3cr3t»",
            "mysqladmin \"-p«hunter2»\" status",
        ],
        spares: &[
            "mysql -u root -p db",
            "mysql -p$PASS db",
            "mysql -p\"${PASS}\" db",
            "mysql -u root -p < dump.sql",
            "mysql db | grep -pattern",
            "docker run -p3306:3306 mysql",
            "mysql -p<password> db",
        ],
    },
    Row {
        kind: "password",
        literals: &["sshpass"],
        shape: Shape::Around(sshpass),
        redacts: &["sshpass -p «hunter2» ssh a@b", "sshpass -p'«hunter2»' scp x a@b:"],
        spares: &[
            "sshpass -p $PASS ssh a@b",
            "sshpass -f file ssh -p 2222 a@b",
            "sshpass -e ssh a@b",
        ],
    },
    Row {
        kind: "password",
        literals: &["redis-cli"],
        shape: Shape::Around(redis),
        redacts: &["redis-cli -h db -a «hunter2» ping"],
        spares: &["redis-cli -a $REDIS ping", "redis-cli ping | grep -a x1y2"],
    },
];

fn mysql(context: &MatchContext<'_>, report: Report<'_>) {
    option(context, b"-p", Value::Attached, report);
}

fn sshpass(context: &MatchContext<'_>, report: Report<'_>) {
    // Its own options come first; those behind the program that it starts are not its.
    let rest = context.after().trim_ascii_start();
    if rest.starts_with(b"-p") {
        option(context, b"-p", Value::AttachedOrNext, report);
    }
}

fn redis(context: &MatchContext<'_>, report: Report<'_>) {
    option(context, b"-a", Value::AttachedOrNext, report);
}

/// Where the value of an option is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// In the same word.
    Attached,
    /// In the same word or the next.
    AttachedOrNext,
}

/// Reports the value of the first such option of the command that the literal starts.
fn option(context: &MatchContext<'_>, name: &[u8], place: Value, report: Report<'_>) {
    let after = context.after();
    let end = after.iter().position(|byte| b"|;&<>".contains(byte)).unwrap_or(after.len());
    let command = &after[..end];
    let starts_word = |at: usize| at > 0 && b" \t\"'".contains(&command[at - 1]);
    let Some(at) = memchr::memmem::find_iter(command, name).find(|at| starts_word(*at)) else {
        return;
    };
    let value = at + name.len();
    let blanks = command[value..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if blanks > 0 && place == Value::Attached {
        return;
    }
    let start = value + blanks;
    let (open, length) = word(&command[start..]);
    let secret = &command[start + open..start + open + length];
    if !secret.is_empty() && !random::is_marked(secret) {
        report(context.range_after(start + open..start + open + length));
    }
}

/// The offset and length of a shell word without its quotes.
fn word(text: &[u8]) -> (usize, usize) {
    if let Some(quote @ (b'"' | b'\'')) = text.first() {
        let end = text[1..].iter().position(|byte| byte == quote);
        return (1, end.unwrap_or(text.len() - 1));
    }
    let end = text.iter().position(|byte| b" \t\r\"'`\\)".contains(byte));
    (0, end.unwrap_or(text.len()))
}
