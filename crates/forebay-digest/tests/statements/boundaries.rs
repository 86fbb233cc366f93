//! Where the output of a command ends: lines of another tool are not counted.

use super::{check, lines};

#[test]
fn a_dependency_tree_has_branches_of_its_own_tool() {
    let tree = lines(60, |n| format!("├── crate{n} v1.0.{n}"));
    let lock = lines(30, |n| format!("  'package{n}@2.0.{n}':"));
    let other = lines(20, |n| format!("├─┬ module{n}@3.0.{n}"));
    let text = format!("svc v0.1.0 (/src)\n{tree}{lock}{other}");
    check("cargo tree", &text, 120, &["svc v0.1.0: 60 packages, 60 direct"], &["110", "90"]);
}

#[test]
fn a_gem_has_a_version() {
    let gems = lines(80, |n| format!("Using gem{n} 1.0.{n}"));
    let text = format!("{gems}Using host libthread_db library\nInstalling collected packages: a\n");
    check("bundle install", &text, 90, &["80 gems used"], &["81 gems", "1 gems installed"]);
}

#[test]
fn results_of_go_packages_are_not_tap() {
    let tests = lines(60, |n| format!("ok {} parses {n}", n + 1));
    let packages = lines(4, |n| format!("ok  \texample.com/p{n}\t0.01s"));
    let text = format!("1..60\n{tests}{packages}");
    check("bats test; go test ./...", &text, 90, &["tap: 60 passed"], &["64 passed", "64 tests"]);
}

#[test]
fn a_result_outside_of_every_plan_makes_tap_doubtful() {
    let tests = lines(60, |n| format!("ok {} parses {n}", n + 1));
    let text = format!("not ok 1 - printed by something else\n1..60\n{tests}");
    check("bats test", &text, 90, &[], &["tap: 60 passed", "61 tests"]);
}

#[test]
fn a_warning_that_has_its_place_is_counted_before_another_tool() {
    let warning = |n| format!("warning: unused variable: `x{n}`\n  --> src/lib.rs:{n}:5\n");
    let text = lines(40, warning) + "F401 [*] `os` imported but unused\n --> a.py:1:8\n";
    check("cargo clippy; ruff check", &text, 90, &["rustc: 40 warnings"], &["39 warnings"]);
}

#[test]
fn a_date_counts_only_in_the_header_of_a_commit() {
    let commits = lines(30, |n| {
        format!(
            "commit {n:040x}\nAuthor: Ann <a@b.c>\nDate:   2026-01-{:02}\n\n    change {n}\n",
            n + 1
        )
    });
    let text = format!("{commits}HTTP/1.1 200 OK\nDate: Mon, 04 May 2026 08:00:00 GMT\n");
    check("git log; curl -i x", &text, 120, &["oldest 2026-01-30"], &["oldest Mon, 04"]);
}

#[test]
fn changes_before_a_commit_are_not_its_own() {
    let diff = lines(20, |n| {
        format!("diff --git a/f{n} b/f{n}\n--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-a\n+b")
    });
    let commits = lines(30, |n| {
        format!("commit {n:040x}\nAuthor: Ann <a@b.c>\nDate:   2026-01-01\n\n    c{n}\n")
    });
    let text = format!("{diff}{commits}");
    check("git diff; git log", &text, 120, &["diff: 20 files, +20 -20"], &["over all commits"]);
}

#[test]
fn a_request_is_not_a_path() {
    let paths = lines(80, |n| format!("src/module_{n}/index.js"));
    let requests = lines(3, |n| format!("GET /users/{n}"));
    let text = format!("{paths}{requests}");
    check("find src; node app.js", &text, 90, &["80 paths"], &["83 paths"]);
}

#[test]
fn a_location_is_not_a_count_of_matches() {
    let counts = lines(80, |n| format!("/src/module_{n}.rs:2"));
    let text = format!("{counts}note: see /src/lib.rs:72:32\n             at /src/lib.rs:73:61\n");
    check("grep -rc fn /src", &text, 90, &["total 160 in 80 files"], &["total 2", "of 8"]);
}

#[test]
fn a_row_of_another_command_is_not_in_the_table() {
    let rows = lines(60, |n| format!("python3 {:5} root  cwd    DIR   254,0 /srv/{n}", 100 + n));
    let files = lines(3, |n| format!("-rw-r--r-- 1 demo demo {n} Jan 10:00 file{n}"));
    let text = format!("COMMAND   PID USER   FD   TYPE  DEVICE NAME\n{rows}{files}");
    check("lsof; ls -l", &text, 120, &["table: 60 rows"], &["63 rows", "Jan: 3"]);
}

#[test]
fn a_frame_is_not_a_comment() {
    let yaml = lines(40, |n| format!("key{n}:\n  value: {n}"));
    let frames = lines(9, |n| format!("#{n}  0x0000 in weigh (n={n}) at a.c:{n}"));
    let text = format!("{yaml}{frames}");
    check("cat a.yaml; gdb -batch", &text, 120, &["9 frames: weigh: 9"], &[]);
}

#[test]
fn the_second_run_of_cargo_is_not_output_of_an_open_test() {
    let open = "running 30 tests\n---- a::b stdout ----\nassertion failed\n";
    let run = "     Running unittests src/lib.rs\n\nrunning 2 tests\ntest a ... ok\ntest b ... ok\n\n\
               test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let text = format!("{open}{}{run}{run}", lines(60, |n| format!("noise {n}")));
    check(
        "cargo test; cargo test",
        &text,
        90,
        &[],
        &["cargo test: 2 passed", "cargo test: 4 passed"],
    );
}

#[test]
fn a_row_of_tabs_has_as_many_fields_as_the_others() {
    let rows = lines(60, |n| format!("{n}\tAda\tDE\tpaid"));
    let runs = lines(9, |n| format!("completed\tsuccess\tFix {n}\tCI\tmain"));
    let text = format!("id\tname\tcountry\tstatus\n{rows}{runs}");
    check("mysql -B shop; gh run list", &text, 150, &["60 rows", "4 columns"], &["69 rows"]);
}

#[test]
fn a_record_follows_the_one_before_it() {
    let record = |n| format!("-[ RECORD {} ]----\nid   | {n}\nname | Ada {n}", n + 1);
    let records = lines(9, record);
    let rows = lines(20, |n| format!("| {n:3} | paid   |"));
    let frame = "+-----+--------+\n";
    let table = format!("{frame}|   n | status |\n{frame}{rows}{frame}");
    let rest = lines(12, |n| record(n + 10));
    let text = format!("{records}{table}{rest}");
    let expected = ["lines 1-51", "9 rows", "20 rows", "12 rows"];
    check("psql -x; mysql -t", &text, 300, &expected, &["3 results"]);
}

#[test]
fn a_json_value_is_not_yaml() {
    let yaml = lines(20, |n| format!("key{n}:\n  value: {n}\n  rest:"));
    let json = lines(9, |n| format!("      \"module{n}\": \"1.0.{n}\","));
    let text = format!("{yaml}{json}");
    check("cat a.yaml; cat b.json", &text, 90, &["YAML object with 20 keys"], &["keys: module"]);
}

#[test]
fn a_field_left_of_the_first_one_is_not_in_the_document() {
    let deep = lines(12, |n| format!("        - item{n}"));
    let left = lines(30, |n| format!("  left{n}: {n}"));
    let text = format!("        Features:\n{deep}{left}");
    check("cat a.yaml", &text, 200, &[], &["31 keys"]);
}

#[test]
fn a_key_comes_once_in_a_table_of_toml() {
    let packages = lines(20, |n| format!("[[package]]\nname = \"p{n}\"\nversion = \"1.0.{n}\"\n"));
    let other = "version = 1\nrevision = 5\n\n[[package]]\nname = \"q\"\nversion = \"2.0\"\n";
    let text = format!("{packages}{other}");
    let expected = ["lines 1-79: TOML: tables package: 20; 40 fields"];
    check("cat Cargo.lock; cat uv.lock", &text, 200, &expected, &["21 distinct"]);
    let ini = lines(40, |n| format!("[unit{n}]\nEnvironment=A{n}\nEnvironment=B{n}"));
    check("cat a.ini", &ini, 90, &["80 fields"], &[]);
}

#[test]
fn branches_are_listed_with_commits_or_without() {
    let verbose = lines(60, |n| format!("  fix/date-{n} 67710b3 ui: remove cache key"));
    let short = lines(30, |n| format!("  feature/PAY-{n}"));
    let text = format!("* main 67710b3 ui: x\n{verbose}{short}* other\n");
    let expected = ["git branch: 61 branches (61 local", "git branch: 31 branches (31 local"];
    check("git branch -vv; git branch", &text, 200, &expected, &["91 branches"]);
}

#[test]
fn a_commit_of_several_lines_is_not_in_a_log_of_one_line_each() {
    let short = lines(60, |n| format!("67710b{} Ann Lee 2026-04-19 change {n}", n + 10));
    let commits = lines(9, |n| {
        format!(
            "commit {n:040x}\nAuthor: Ann Lee <a@b.c>\nDate:   2026-01-01\n\n    c{n}\n\n a.rs | 2 ++\n 1 file changed, 2 \
             insertions(+)\n"
        )
    });
    let text = format!("{short}{commits}");
    let expected =
        ["lines 1-60: git log: 60 commits", "git log: 9 commits", "over all commits: +18"];
    check("git log --oneline; git log --stat", &text, 300, &expected, &["69 commits"]);
}

#[test]
fn options_of_another_command_do_not_make_grep_count() {
    let matches = lines(30, |n| format!("./src/a{n}.rs:{n}:retry"));
    let frames = lines(40, |n| format!("#{n} 0x0000531c in weigh (depth={n}) at graph.cpp:7"));
    let text = format!("{matches}{frames}");
    let expected = ["30 matches in 30 files", "40 frames: weigh: 40"];
    check("grep -rn retry .; gdb -batch ./graph", &text, 120, &expected, &["total"]);
    check("grep -rc retry .; gdb ./graph", &frames, 120, &["40 frames"], &["total 280"]);
}

#[test]
fn a_path_without_a_blank_line_above_it_is_not_a_heading() {
    let matches = lines(60, |n| format!("{}:    let retry = limit_{n};", n + 1));
    let text = format!("src/a.rs\n{matches}./docs/found.md\n61:    let retry = 0;\n");
    check("rg --heading -n retry", &text, 90, &["61 matches"], &["found.md: 1"]);
}

#[test]
fn a_frame_is_not_the_name_of_a_linted_file() {
    let problems = lines(60, |n| format!("  {n}:3  error  Unexpected var  no-var"));
    let text = format!("/src/app.js\n{problems}\t/src/main.go:10\n  9:3  error  x is y  no-x\n");
    check("npx eslint src", &text, 120, &["61 errors"], &["main.go:10: 1"]);
}

#[test]
fn a_dependency_tree_goes_on_after_a_warning() {
    let tree = lines(40, |n| format!("├── module{n} 1.0.{n}"));
    let text = format!(
        "portal@2.0.0 /src\n\ndependencies:\naxios 0.18.0\n{tree}npm warn deprecated\n{}lodash 4.17.4\n",
        tree.replace("module", "other")
    );
    check("pnpm ls", &text, 120, &["portal@2.0.0: 82 packages"], &["81 packages"]);
}

#[test]
fn a_dump_of_bytes_is_not_a_table() {
    let canonical =
        lines(40, |n| format!("{:08x}  {}  |{}|", n * 16, ["61"; 16].join(" "), "a".repeat(16)));
    let expected = ["dump of bytes: offsets 00000000 to 00000270"];
    check("hexdump -C a.bin", &canonical, 90, &expected, &["rows", "column"]);
    let plain = lines(40, |n| format!("{:07o} {}", n * 16, ["060541"; 8].join(" ")));
    check("od a.bin", &plain, 90, &["offsets 0000000 to 0001160"], &["rows"]);
}

#[test]
fn the_rest_of_a_document_is_not_a_document() {
    let document = |n| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  labels:\n    app: a{n}\n  name: a{n}\nspec:\n  port: {n}\n---"
        )
    };
    let (before, after) = (lines(8, document), lines(8, document));
    let rest = "  labels:\n    app: x\n  name: x\nspec:\n  port: 1\n---\n";
    let text = format!("{before}apiVersion: v1\nmetadata:\nnpm warn config\n{rest}{after}");
    check("./manifests.sh", &text, 300, &["YAML"], &["\nlabels: 1 key"]);
}
