//! git: commits, changed files, states.

use super::{check, lines};

#[test]
fn leading_numbers_are_not_commits() {
    let orders = lines(100, |n| format!("{} order shipped to customer {}", 20_260_000 + n, 7 * n));
    let sizes = lines(100, |n| format!("{:>9} /usr/bin/tool-{n}", 1_276_544 + 31 * n));
    for (command, text) in [("./report.sh", &orders), ("wc -c", &sizes), ("", &orders)] {
        check(command, text, 90, &[], &["git log", "commits"]);
    }
}

#[test]
fn leading_hashes_are_commits() {
    let text =
        lines(100, |n| format!("{:07x} fix the thing {n}", (n + 1) * 2_654_435 % 0x0fff_ffff));
    check("git log --oneline", &text, 90, &["git log: 100 commits"], &[]);
    check("./recent.sh", &text, 90, &["git log: 100 commits"], &[]);
    check("du -a", &text, 90, &[], &["git log"]);
}

#[test]
fn reflog_entries_are_not_commits() {
    let text = lines(60, |n| format!("0d1134c HEAD@{{{n}}}: checkout: moving from a to b{n}"));
    check("git reflog", &text, 90, &["git reflog: 60 entries"], &["commits"]);
}

#[test]
fn distinguishes_oneline_commits_from_stat_files() {
    let commit = |n: u64| format!("a{n:06x} change {n}");
    let stat = lines(40, |n| {
        format!(
            "{}\n f.txt       | 1 +\n file {n}.txt | 2 ++\n 2 files changed, 3 insertions(+)",
            commit(n)
        )
    });
    let numbers = lines(40, |n| format!("{}\n1\t0\tf.txt\n2\t1\tfile {n}.txt", commit(n)));
    check("git log --oneline --stat", &stat, 100, &["40 commits", "+120 -0"], &[]);
    check("git log --oneline --numstat", &numbers, 100, &["40 commits", "+120 -40"], &[]);
}

#[test]
fn reads_custom_log_formats() {
    let text = lines(60, |n| format!("a{n:06x}|Ann Lee|change number {n}"));
    check("git log --format='%h|%an|%s'", &text, 90, &["60 commits"], &["rows"]);
}

#[test]
fn reports_a_single_commit_with_its_files() {
    let files = lines(12, |n| format!(" src/file_{n}.rs | {n} +"));
    let text = format!(
        "commit b4c46c617cb89a76cf62b0bc47c7431263ce8d73\nAuthor: Ann <a@example.com>\nDate:   Sun Nov 15 \
         22:36:42 2026 +0000\n\n    Make it work\n\n{files} 12 files changed, 66 insertions(+)\n"
    );
    let expected = ["b4c46c6", "Make it work", "Ann", "12 files changed", "src/file_0.rs"];
    check("git show --stat", &text, 85, &expected, &[]);
}

#[test]
fn counts_added_and_deleted_binary_files() {
    let binary = |n: u64, what: &str| {
        format!(
            "diff --git a/{n}.bin b/{n}.bin\n{what} file mode 100644\nindex 0000000..bdc955b\nBinary files \
             /dev/null and b/{n}.bin differ"
        )
    };
    let text = lines(20, |n| binary(n, "new")) + &lines(10, |n| binary(n + 20, "deleted"));
    let expected = ["30 files, +0 -0, 20 added, 10 deleted", "(deleted, binary)"];
    check("git diff", &text, 90, &expected, &[]);
}

#[test]
fn does_not_count_lines_of_word_or_merge_diffs() {
    let word = lines(20, |n| {
        format!(
            "diff --git a/{n} b/{n}\n--- a/{n}\n+++ b/{n}\n@@ -1,2 +1,2 @@\n  same\n  [-old-]{{+new+}}"
        )
    });
    let merge = lines(20, |n| {
        format!(
            "diff --cc {n}\n--- a/{n}\n+++ b/{n}\n@@@ -1,2 -1,2 +1,3 @@@\n  same\n +ours\n+ theirs"
        )
    });
    check("git diff --word-diff", &word, 90, &["diff: 20 files"], &["+0 -0"]);
    check("git show", &merge, 90, &[], &["+0 -0"]);
}

#[test]
fn patch_signature_is_not_a_removed_line() {
    let patch = lines(20, |n| {
        format!("diff --git a/{n} b/{n}\n--- a/{n}\n+++ b/{n}\n@@ -1 +1,2 @@\n same\n+new")
    });
    let text = format!("From 1234 Mon Sep 17 00:00:00 2001\nSubject: x\n\n{patch}-- \n2.39.5\n");
    check("git format-patch --stdout -1", &text, 90, &["20 files, +20 -0"], &[]);
}

#[test]
fn reads_numstat_without_a_header() {
    let text = lines(60, |n| format!("2\t1\tsrc/file_{n}.rs"));
    check("git diff --numstat", &text, 90, &["60 files, +120 -60"], &["rows"]);
}

#[test]
fn reads_porcelain_v2_status() {
    let hash = "422c2b7ab3b3c668038da977e4e93a5fc623169c";
    let changed =
        lines(10, |n| format!("1 .M N... 100644 100644 100644 {hash} {hash} file {n}.txt"));
    let text = format!(
        "# branch.oid {hash}\n# branch.head main\n{changed}2 R. N... 100644 100644 100644 {hash} {hash} R100 \
         new.txt\told.txt\n? untracked.txt\n"
    );
    let expected = ["1 staged, 10 not staged, 1 untracked", "main", "new.txt"];
    check("git status --porcelain=v2", &text, 90, &expected, &[]);
}

#[test]
fn uses_the_singular_for_one() {
    let noise = lines(60, |n| format!("remote: note {n} of the server"));
    let text = format!("{noise} * [new branch]      x -> origin/x\n");
    check("git fetch", &text, 60, &["1 new branch"], &["new branches"]);
}

#[test]
fn tags_are_not_branches() {
    let branches = lines(20, |n| format!("  feature/{n}"));
    let tags = lines(30, |n| format!("v1.{n}.0"));
    let text = format!("* main\n{branches}{tags}");
    let expected = ["lines 1-21: git branch: 21 branches"];
    check("git branch -a; git tag", &text, 60, &expected, &["51 branches", "50 "]);
}

#[test]
fn a_list_that_does_not_fit_shows_its_gap() {
    let text = lines(40, |n| {
        format!(
            "commit {n:040x}\nAuthor: Ann <a@example.com>\nDate:   Sun Nov 15 22:36:42 2026 +0000\n\n    change {n}\n\n a.txt | 2 ++\n 1 file changed, 2 insertions(+)\n"
        )
    });
    check("git log --stat", &text, 90, &["git log: 40 commits", " more\n", "change 39"], &[]);
}

#[test]
fn formats_in_a_row_are_counted_apart() {
    let log = lines(30, |n| format!("a{n:06x} change {n}"));
    let status = lines(20, |n| format!("?? new/{n}.txt"));
    let text = format!("{log}{status}");
    let expected = ["lines 1-30: git log: 30 commits", "lines 31-50: git status: 20 untracked"];
    check("git log --oneline; git status -s", &text, 90, &expected, &[]);
}

#[test]
fn words_like_hashes_after_a_log_are_not_commits() {
    let log = lines(200, |n| format!("a{n:07x} change {n}"));
    let text = log.clone() + &lines(300, |n| format!("abcdef{:03} text {n}", n + 101));
    let command = "git log --oneline -200; cat words.txt";
    check(command, &text, 90, &["git log: 200 commits"], &["500 commits", "201 commits"]);
    let longer = log.replace("a0000063 ", "a00000631 ");
    check("git log --oneline", &longer, 90, &["git log: 200 commits"], &["other line"]);
}

#[test]
fn history_with_dates_is_not_a_log_with_levels() {
    let text = lines(100, |n| {
        let subject = if n % 3 == 0 { "explain the error" } else { "info for users" };
        format!("2026-11-17T21:27:{:02}+00:00 a{n:06x} {subject}", n % 60)
    });
    for command in ["git log --format='%cI %h %s'", "./history.sh"] {
        check(command, &text, 90, &[], &["levels", "log: 100 entries"]);
    }
}

#[test]
fn logs_of_several_commands_are_counted_apart_or_not() {
    let log = |count, from: u64| lines(count, |n| format!("a{:07x} change {}", n + from, n + from));
    let apart = format!("{}\n{}", log(200, 0), log(100, 50));
    let command = "git log --oneline -200; echo; git log --oneline -100 HEAD~50";
    let expected = ["lines 1-200: git log: 200 commits", "lines 202-301: git log: 100 commits"];
    check(command, &apart, 120, &expected, &["300 commits"]);
    let together = apart.replace("\n\n", "\n");
    check(&command.replace("echo;", ""), &together, 120, &["a0000000 change 0"], &["commits"]);
    let spaced = together.replace('\n', "\n\n");
    check(command, &spaced, 120, &["a0000002 change 2"], &["commits"]);
}
