//! Passwords in the options of programs: `mysql -pSECRET`.

use super::super::class::NAME;
use super::super::match_context::{MatchContext, Report};
use super::super::{names, random};
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
    Row {
        kind: "password",
        literals: &[
            "docker login",
            "podman login",
            "buildah login",
            "skopeo login",
            "nerdctl login",
            "helm registry login",
            "mongosh",
            "mongodump",
            "mongorestore",
            "mongoexport",
            "mongoimport",
        ],
        shape: Shape::Around(lower_p),
        redacts: &["docker login -u me -p «hunter2» host", "mongosh -u me -p '«hunter 2»' db"],
        spares: &[
            "docker login -u me --password-stdin",
            "docker login -u me -p $PASS",
            "mongodump --port 27017",
            "docker run --name mongosh -p 27017:27018 mongo",
        ],
    },
    Row {
        kind: "password",
        literals: &["sqlcmd", "ipmitool", "mosquitto_pub", "mosquitto_sub", "unzip ", "zip "],
        shape: Shape::Around(upper_p),
        redacts: &[
            "sqlcmd -S db -U sa -P «hunter2» -Q x",
            "unzip -P «hunter2» a.zip",
            "zip -r -P «hunter2» a.zip b",
        ],
        spares: &[
            "sqlcmd -S db -P $PASS",
            "unzip a.zip | xargs -P 4",
            "zip a.zip b",
            "wget https://host/a.zip -P /tmp/x1",
            "scp a.zip -P 2222 host:",
        ],
    },
    Row {
        kind: "password",
        literals: &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami"],
        shape: Shape::Around(ldap),
        redacts: &["ldapsearch -x -D cn=a -w «hunter2» -b dc=b"],
        spares: &["ldapsearch -x -W -b dc=b", "ldapsearch -w $PASS"],
    },
    Row {
        kind: "password",
        literals: &["7z ", "7za ", "7zz "],
        shape: Shape::Around(mysql),
        redacts: &["7z x -p«hunter2» a.7z"],
        spares: &["7z x -p a.7z", "7z l a.7z"],
    },
    Row {
        kind: "password",
        literals: &["nmcli"],
        shape: Shape::Around(nmcli),
        redacts: &["nmcli dev wifi connect home password «hunter2»"],
        spares: &["nmcli dev wifi list", "nmcli dev wifi connect home password $PASS"],
    },
    Row {
        kind: "password",
        literals: &["xfreerdp", "wlfreerdp"],
        shape: Shape::Around(freerdp),
        redacts: &["xfreerdp /u:me /p:«hunter2» /v:host"],
        spares: &["xfreerdp /u:me /v:host"],
    },
    Row {
        kind: "password",
        literals: &["smbclient", "rpcclient"],
        shape: Shape::Around(samba),
        redacts: &["smbclient //host/share -U me%«hunter2» -c ls"],
        spares: &["smbclient //host/share -U me", "smbclient -L host -U me%$PASS"],
    },
    Row {
        kind: "password",
        literals: &[
            "-passin pass:",
            "-passout pass:",
            "-pass pass:",
            "identified by ",
            "configure set aws_secret_access_key ",
            "configure set aws_session_token ",
        ],
        shape: Shape::Around(next_word),
        redacts: &[
            "openssl rsa -in key -passin pass:«hunter2» -out x",
            "CREATE USER me IDENTIFIED BY '«hunter2»';",
            "aws configure set aws_secret_access_key «wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY»",
        ],
        spares: &[
            "openssl rsa -passin pass:$PASS",
            "it is identified by the name",
            "rows are identified by id2",
            "CREATE USER me IDENTIFIED BY '<password>'",
        ],
    },
    Row {
        kind: "secret",
        literals: &["setx ", "set -x ", "set -gx ", "set -Ux ", "setenv ", "env "],
        shape: Shape::Around(assigned_by_blank),
        redacts: &[
            "set -gx GITHUB_TOKEN «qtO93L7Q5uUaVcojsNOBAGx5diFoNPcbdaKwtgHw»",
            "setx API_TOKEN \"«cmlzkO7rRu5ykYYqhXHdO2x93CJHLS»\"",
            "ENV API_TOKEN «45gqIO2zVZxqyxKjxvWfColNV9ds0H»",
        ],
        spares: &[
            "ENV API_TOKEN $TOKEN",
            "set -x; TOKEN is set",
            "set -gx PATH 45gqIO2zVZxqyxKjxvWfColNV9ds0H",
            "the env TOKEN variable",
        ],
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

fn lower_p(context: &MatchContext<'_>, report: Report<'_>) {
    option(context, b"-p", Value::AttachedOrNext, &mut |value| {
        if !is_port_mapping(context.window(value.clone())) {
            report(value);
        }
    });
}

/// `8080:80`, which `docker run -p` publishes.
fn is_port_mapping(value: &[u8]) -> bool {
    value.contains(&b':') && value.iter().all(|byte| byte.is_ascii_digit() || *byte == b':')
}

fn upper_p(context: &MatchContext<'_>, report: Report<'_>) {
    option(context, b"-P", Value::AttachedOrNext, report);
}

fn ldap(context: &MatchContext<'_>, report: Report<'_>) {
    option(context, b"-w", Value::AttachedOrNext, report);
}

fn nmcli(context: &MatchContext<'_>, report: Report<'_>) {
    option(context, b"password", Value::AttachedOrNext, report);
}

fn freerdp(context: &MatchContext<'_>, report: Report<'_>) {
    option(context, b"/p:", Value::Attached, report);
}

/// `-U user%SECRET`
fn samba(context: &MatchContext<'_>, report: Report<'_>) {
    option(context, b"-U", Value::AttachedOrNext, &mut |login| {
        let user = context.window(login.clone());
        if let Some(at) = memchr::memchr(b'%', user) {
            let secret = &user[at + 1..];
            if !secret.is_empty() && !random::is_marked(secret) {
                report(login.start + at + 1..login.end);
            }
        }
    });
}

/// The word behind the literal; a word of a sentence is none.
fn next_word(context: &MatchContext<'_>, report: Report<'_>) {
    let text = context.after();
    let (open, length) = word(text);
    let secret = &text[open..open + length];
    let is_sentence = open == 0 && context.literal().eq_ignore_ascii_case(b"identified by ");
    if !secret.is_empty() && !is_sentence && !random::is_marked(secret) {
        report(context.range_after(open..open + length));
    }
}

/// `set -x NAME SECRET` of fish, `setx` of Windows, `ENV NAME SECRET` in a Dockerfile.
fn assigned_by_blank(context: &MatchContext<'_>, report: Report<'_>) {
    let text = context.after();
    let name = NAME.run(text);
    let is_secret = std::str::from_utf8(&text[..name]).is_ok_and(names::is_secret);
    let blanks = text[name..].iter().take_while(|byte| **byte == b' ').count();
    if !context.starts_word() || !is_secret || blanks == 0 {
        return;
    }
    let start = name + blanks;
    let (open, length) = word(&text[start..]);
    let secret = start + open..start + open + length;
    if random::is_random(&text[secret.clone()]) {
        report(context.range_after(secret));
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
    // `.zip ` ends the name of a file.
    let ends_other_word = matches!(context.before(), [.., b'.' | b'-']);
    if ends_other_word || !context.starts_word() {
        return;
    }
    let after = context.after();
    let end = after.iter().position(|byte| b"|;&<>".contains(byte)).unwrap_or(after.len());
    let command = &after[..end];
    let byte_before =
        |at: usize| at.checked_sub(1).map_or(context.literal().last(), |at| command.get(at));
    let starts_word = |at: usize| byte_before(at).is_some_and(|byte| b" \t\"'".contains(byte));
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
