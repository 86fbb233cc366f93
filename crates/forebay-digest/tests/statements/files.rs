//! Listings of files and search results.

use super::{check, lines};

#[test]
fn shows_rounded_sizes_as_written() {
    let rows = lines(60, |n| format!("-rw-r--r-- 1 ann ann {}.5K Nov 15 22:37 f{n}.dat", n + 1));
    let text = format!("total 2.0M\n{rows}-rw-r--r-- 1 ann ann 1.2M Nov 15 22:37 big.iso\n");
    check("ls -lh", &text, 90, &["61 files", "big.iso 1.2M", "f59.dat 60.5K"], &["bytes"]);
}

#[test]
fn reads_sizes_after_inodes_and_blocks() {
    let inodes = lines(60, |n| {
        format!(" 1049{n:04}     24 -rw-r--r--   1 ann  ann  1000 Nov 15 22:37 ./f{n}.dat")
    });
    let times = lines(60, |n| {
        format!(" 4 -rw-r--r-- 1 ann ann 1000 2026-11-15 22:37:04.532796940 +0000 f{n}.dat")
    });
    for (command, text) in [("find . -ls", inodes), ("ls -ls --full-time", times)] {
        check(command, &text, 90, &["60 files", "60000 bytes"], &["+0000"]);
    }
}

#[test]
fn reads_hard_links_in_archives() {
    let rows = lines(60, |n| format!("-rw-r--r-- ann/ann 1000 2026-11-15 22:37 ./f{n}.dat"));
    let text = format!("{rows}hrw-r--r-- ann/ann 0 2026-11-15 22:37 ./hard link to ./f1.dat\n");
    check("tar tvf x.tar", &text, 90, &["60 files", "1 link"], &[]);
}

#[test]
fn folder_headers_are_not_entries() {
    let text = format!(
        "ls: cannot access 'nope': No such file or directory\nc:\n{}\ngo:\n{}",
        lines(30, |n| format!("c{n}.c")),
        lines(40, |n| format!("g{n}.go"))
    );
    let expected = ["70 paths in 2 folders", "1 error: ls: cannot access 'nope'", "go/ 40"];
    check("ls c go nope", &text, 90, &expected, &[]);
}

#[test]
fn caption_above_paths_is_not_a_folder() {
    let text = "Files:\n".to_owned() + &lines(60, |n| format!("src/file_{n}.rs"));
    check("find src", &text, 60, &["60 paths in 1 folder", "src/ 60"], &["Files/src"]);
}

#[test]
fn counts_nested_folders_once() {
    let text = format!(
        ".:\na\nb\n\n./a:\n{}\n./b:\n{}",
        lines(30, |n| format!("a{n}.c")),
        lines(30, |n| format!("b{n}.c"))
    );
    check("ls -R", &text, 60, &["60 files in 3 directories"], &[]);
}

#[test]
fn ignores_type_markers_after_names() {
    let text = lines(60, |n| format!("f{n}.dat*")) + "folder/\npipe|\nlink@\n";
    check("ls -F", &text, 60, &["63 paths in 1 folder"], &[".dat*:"]);
}

#[test]
fn reports_unreadable_paths() {
    let text = lines(60, |n| format!("/etc/d/conf{n}.txt"))
        + "find: ‘/root/x’: Permission denied\nfind: ‘/proc/1/fd’: Permission denied\n";
    check(
        "find /etc",
        &text,
        90,
        &["60 paths", "2 errors: find: ‘/root/x’: Permission denied"],
        &[],
    );
}

#[test]
fn columns_before_paths_are_not_folders() {
    let text = lines(60, |n| format!("{} ./f{n}.dat", 1_000 * n));
    check("find . -printf '%s %p'", &text, 60, &[], &["in 60 folders", "by top folder"]);
    for separator in [" ", "\t"] {
        let text = lines(540, |n| format!("{}{separator}tt/d{n}/f{n}.dat", 1_000 * n));
        for command in ["find tt -printf '%s %p\\n'", "find tt -printf '%s\\t%p\\n'", "./sizes.sh"]
        {
            check(command, &text, 90, &[], &["folders", "du:"]);
        }
    }
    let owners = lines(540, |n| format!("root tt/d{n}/f{n}.dat"));
    check("find tt -printf '%u %p\\n'", &owners, 90, &[], &["folders"]);
}

#[test]
fn tests_are_not_paths() {
    let tests = lines(500, |n| format!("tests/t.py::t{n} PASSED"));
    let text = format!("{tests}=== 500 passed in 1.00s ===\n");
    check("cat out.txt", &text, 90, &[], &["paths", "folder"]);
    let names = lines(500, |n| format!("man3/Foo::Bar{n}.3pm"));
    check("find man3", &names, 90, &["500 paths in 1 folder"], &[]);
}

#[test]
fn numbered_files_are_not_packages() {
    let text = format!(".\n{}\n1 directory, 60 files\n", lines(60, |n| format!("├── f {n}.dat")));
    check("tree", &text, 60, &["1 directory, 60 files", "1 level"], &["packages", "1 levels"]);
    check("", &text, 60, &[], &["packages"]);
}

#[test]
fn sums_match_counts() {
    let text = lines(60, |n| format!("src/file_{n}.rs:{}", n % 3));
    check("grep -rc fn", &text, 80, &["total 60 in 40 of 60 files"], &["60 matches"]);
    check("rg -c fn", &text.replace(":0", ":9"), 80, &["total 240 in 60 files"], &[]);
}

#[test]
fn distinguishes_matches_from_matching_lines() {
    let text = lines(60, |n| format!("src/file_{n}.rs:let fn_fn = {n};"))
        + "\n120 matches\n60 matched lines\n60 files contained matches\n80 files searched\n9 bytes printed\n\
           99 bytes searched\n0.005224 seconds spent searching\n0.016154 seconds\n";
    check("rg --stats fn", &text, 60, &["120 matches on 60 lines in 60 files"], &[]);
}

#[test]
fn finds_matches_in_paths_with_spaces() {
    let text = lines(60, |n| format!("src/a {}.py:{n}:x = foo({n})", n % 4))
        + "grep: secret: Permission denied\n";
    check("grep -rn foo .", &text, 90, &["60 matches in 4 files", "1 error: grep: secret"], &[]);
}

#[test]
fn columns_of_tables_with_empty_cells_do_not_shift() {
    let text = "COMMAND  PID USER   FD   TYPE DEVICE SIZE/OFF  NODE NAME\n".to_owned()
        + &lines(60, |n| {
            format!(
                "python3 1234 root    {:>2}u   REG  254,0     4096 {n:>5} /tmp/f{n}",
                n % 90 + 10
            )
        })
        + &lines(20, |n| {
            format!(
                "python3 1234 root    {:>2}u  IPv4 {:>6}      0t0   TCP *:{n} (LISTEN)",
                n + 70,
                21680 + n
            )
        });
    check(
        "lsof -p 1234",
        &text,
        120,
        &["table: 80 rows", "TYPE: text REG: 60, IPv4: 20"],
        &["TYPE: int"],
    );
}

#[test]
fn kernel_threads_keep_their_names() {
    let text = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
        .to_owned()
        + &lines(60, |n| {
            format!(
                "root  {:>10}  0.0  0.0      0     0 ?        I    10:00   0:00  \\_ [kworker/u8:{}]",
                n + 2,
                n % 2
            )
        });
    check("ps aux --forest", &text, 150, &["[kworker/u8:1]: 30"], &[" u8"]);
}

#[test]
fn lists_of_several_commands_are_not_one_total() {
    let found = lines(600, |n| format!("tt/d{}/f{n}.txt", n % 30));
    let listed =
        lines(30, |n| format!("tt/d{n}:\n{}", lines(20, |at| format!("f{}.txt", at * 30 + n))));
    let text = format!("{found}{listed}");
    check("find tt; ls -R tt", &text, 90, &["tt/d0/f0.txt"], &["1,2", " paths in", "folders"]);
    let rows = lines(60, |n| format!("-rw-r--r-- 1 ann ann 1000 Nov 15 22:37 f{n}.dat"));
    let text = format!("d1:\ntotal 8\n{rows}\nd2:\ntotal 8\n{rows}total 8\n{rows}");
    check("ls -l d1 d2; ls -l d1", &text, 90, &["f0.dat"], &["180 files", "bytes"]);
}

#[test]
fn items_of_a_list_are_not_called_lines() {
    let text = lines(600, |n| format!("tt/d{}/f{n}.txt", n % 30)) + "tt/d1/a b c d e.txt\n";
    check("find tt", &text, 90, &["601 paths in 30 folders"], &["other line"]);
    let items = text.replace('\n', "\0");
    let expected = ["601 NUL-terminated items", "601 paths in 30 folders"];
    check("find tt -print0", &items, 90, &expected, &["other line"]);
}
