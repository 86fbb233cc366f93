//! Parser tests: how each shell construct is flattened.

use super::*;
use crate::wildcard::{GLOB_MANY, GLOB_ONE, HOLE};

/// Formats a script: commands separated by `;`, words by spaces, unknown parts as `¿`.
fn flat(text: &str) -> String {
    let script = parse(text);
    let commands: Vec<String> = script.commands.iter().map(command).collect();
    let broken = script.broken.map(|why| format!("BROKEN: {why}"));
    commands.into_iter().chain(broken).collect::<Vec<_>>().join("; ")
}

fn command(command: &Command) -> String {
    let assignments =
        command.assignments.iter().map(|each| format!("{}={}", each.name, shown(&each.value)));
    let words = command.words.iter().map(shown);
    let redirects = command.redirects.iter().map(|redirect| {
        let sign = match redirect.kind {
            RedirectKind::Read => "<",
            RedirectKind::Write => ">",
            RedirectKind::ReadWrite => "<>",
            RedirectKind::Text => "<<",
        };
        format!("{sign}{}", shown(&redirect.target))
    });
    assignments.chain(words).chain(redirects).collect::<Vec<_>>().join(" ")
}

fn shown(word: &Word) -> String {
    word.marked()
        .replace(HOLE, "¿")
        .replace(GLOB_MANY, "★")
        .replace(GLOB_ONE, "☆")
        .replace('\n', "⏎")
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(flat(text), expect, "{text}");
}

#[test]
fn lists_and_pipelines() {
    check("ls", "ls");
    check("a && b || c; d & e | f |& g\nh", "a; b; c; d; e; f; g; h");
    check("! a | time -p b", "a; b");
    check("a &&\n\n b # comment ; x", "a; b");
    check("  # only a comment", "");
    check("", "");
}

#[test]
fn compound_commands() {
    check("(a; (b)) > f", "a; b; >f");
    check("{ a; b; }", "a; b");
    check("if a; then b; elif c; then d; else e; fi", "a; b; c; d; e");
    check("while a; do b; done < f", "a; b; <f");
    check("until a; do b; done", "a; b");
    check("for x in 1 $(a); do b $x; done", "a; x=1 x=¿; b ¿");
    check("for x; do b; done", "b");
    check("for ((i=0; i<$(a); i++)); do b; done", "a; b");
    check("select x in a; do b; done", "x=a; b");
    check("case $(a) in (x|y) b;; *) c;& z) d ;; esac", "a; b; c; d");
    check("case x in\n a)\n b\n ;;\nesac", "b");
    check("f() { a; }; f", "a; f");
    check("function f { a; }", "a");
    check("function f () ( a )", "a");
    check("coproc a b", "a b");
    check("coproc X { a; }", "a");
    check("coproc { { a; }; }", "a");
    check("[[ -f x && $(a) =~ (b|c) ]] && d", "a; d");
    check("(( i + $(a) )) && b", "a; b");
    check("((sudo x) )", "sudo x");
    check("((sudo x) && y)", "sudo x; y");
    check("if (a) then { (b) } fi", "a; b");
}

#[test]
fn words_are_resolved() {
    check(r#"su""do ls"#, "sudo ls");
    check(r"\sudo ls", "sudo ls");
    check(r"$'\x73udo' ls", "sudo ls");
    check("su\\\ndo ls", "sudo ls");
    check("s'u'\"d\"o", "sudo");
    check("\"a\\\"b\\$c\\d\"", "a\"b$c\\d");
    check("''", "");
    check("$\"sudo\" x", "sudo x");
    check("a$b\"$c\"${d}", "a¿¿¿");
    check("a *.rs ?x [ab]c 'x*' [ -f", "a ★.rs ☆x ☆c x* [ -f");
    check("{sudo,ls} x", "sudo ls x");
    check("su{do,}", "sudo su");
    check("{a} {b,\"c,d\"} '{e,f}' {g..k}", "{a} b c,d {e,f} ¿");
    check("a{b,{c,d}}e", "abe ace ade");
    check("~/x \"~/y\"", "~/x ~/y");
    check("x=1 y+=2 z[1]=3 cmd a=b", "x=1 y=2 z=3 cmd a=b");
    check("a=(1 2 $(b))", "b; a=¿");
    check("a=(sudo ls) b", "a=sudo ls b");
}

#[test]
fn expansions() {
    check("a $(b $(c)) `d \\`e\\``", "c; b ¿; e; d ¿; a ¿ ¿");
    check("a \"$(b \"$(c)\")\"", "c; b ¿; a ¿");
    check("a $((1 + $(b))) $((c) )", "b; c; a ¿ ¿");
    check("a ${x:-$(b)} ${y//$(c)/d}", "b; c; a ¿ ¿");
    check("a <(b) > >(c)", "b; c; a ¿ >¿");
    check("a ${ b; }", "b; a ¿");
    check("x[$(a)]=1", "a; x=1");
    check("a $ $1 $@ $x.y", "a $ ¿ ¿ ¿.y");
}

#[test]
fn redirections() {
    check("a > f 2>> g < h <> i &> j >| k", "a >f >g <h <>i >j >k");
    check("> f a", "a >f");
    check("{fd}> f a", "a >f");
    check("a 2>&1 >&-", "a >1 >-");
    check("$(<f)", "<f; ¿");
    check("a <<< \"$(b)\"", "b; a <<¿");
}

#[test]
fn here_documents() {
    check("cat <<E\n$(a) x\nE\nb", "cat <<¿ x⏎; a; b");
    check("cat <<'E'\n$(a)\nE\nb", "cat <<$(a)⏎; b");
    check("cat <<-E | sh\n\tx\n\tE\nb", "cat <<x⏎; sh; b");
    check("cat <<A <<B\na\nA\nb\nB\nc", "cat <<a⏎ <<b⏎; c");
    check("cat <<E | while read x; do\nbody\nE\necho $x; done", "cat <<body⏎; read x; echo ¿");
    check("x=$(cat <<E\nsudo\nE\n) b", "cat <<sudo⏎; x=¿ b");
    check("cat <<E", "cat <<");
}

#[test]
fn keeps_what_was_parsed_before_an_error() {
    check("sudo ls; (", "sudo ls; BROKEN: it ends in the middle of a command");
    check("a && ", "a; BROKEN: a command is missing");
    check("echo 'x", "BROKEN: a quote is not closed");
    check("echo )", "echo; BROKEN: a separator is missing between two commands");
    check("fi", "BROKEN: a keyword where a command should begin");
    check("echo @(a)", "BROKEN: unexpected parenthesis");
    check("a; ; b", "a; BROKEN: a command is missing");
}

#[test]
fn depth_and_time_are_bounded() {
    for (open, close) in [
        ("{ ", "; }"),
        ("(", ")"),
        ("$(", ")"),
        ("if a; then ", "; fi"),
        ("\"$(", ")\""),
        ("${x:-", "}"),
        ("`", "`"),
        ("((", "))"),
        ("[", "]"),
        ("a[", "]=1"),
        ("f() ", ""),
        ("coproc ", ""),
    ] {
        let text = format!("{}b{}", open.repeat(3_000), close.repeat(3_000));
        let _ = parse(&text);
    }
}

#[test]
fn background_commands_are_noticed() {
    for text in [
        "a &",
        "a & b",
        "{ a & }; b",
        "(a &)",
        "x=$(a & b)",
        "if a & then b; fi",
        "coproc a",
        "`a &`",
    ] {
        assert!(parse(text).has_background, "{text}");
    }
    for text in [
        "a && b",
        "a 2>&1",
        "a &> b",
        "a >& b",
        "echo 'a & b'",
        "echo a \\& b",
        "a |& b",
        "a # b &",
    ] {
        assert!(!parse(text).has_background, "{text}");
    }
}

#[test]
fn doubts_are_named() {
    assert_eq!(parse("ls -l").doubts, []);
    assert_eq!(parse("echo ${x@P}").doubts.len(), 1);
    assert!(hidden_in("echo a\u{200b}b").is_some());
    assert!(hidden_in("echo a\rb").is_some());
    assert!(hidden_in("echo 'a\tb'\n").is_none());
    assert_eq!(parse("[[ -v 'a[$(id)]' ]]").doubts.len(), 1);
    assert!(hidden_in("echo '⚠️ emoji'").is_none());
}
