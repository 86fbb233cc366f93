//! Tables and documents.

use super::{check, lines};

#[test]
fn does_not_take_a_row_of_values_for_a_header() {
    let text = lines(80, |n| format!("{n},foo{},{n}.5", n % 3));
    check("cat x.csv", &text, 120, &["80 rows", "column 1: int 0..79"], &["79 rows"]);
    let years = "country,2019,2020\n".to_owned() + &lines(80, |n| format!("c{n},{n},{n}"));
    check("cat x.csv", &years, 120, &["80 rows", "2019: int 0..79"], &[]);
    let born = lines(80, |n| format!("name{n},{},x{n}", 1950 + n % 50));
    check("cat x.csv", &born, 120, &["80 rows without a header"], &["79 rows"]);
    let texts = lines(80, |n| format!("name{n},role{n}"));
    check("cat x.csv", &texts, 60, &["79 rows below the first line"], &["79 rows,"]);
}

#[test]
fn reads_quoted_fields_across_lines() {
    let text = "id,note,amount\n".to_owned()
        + &lines(60, |n| format!("{n},\"two\nlines, \"\"quoted\"\"\",{n}.5"));
    check("cat q.csv", &text, 100, &["60 rows, 3 columns", "amount: float 0.5..59.5"], &[]);
}

#[test]
fn unclosed_quote_does_not_swallow_rows() {
    let text = "id,size\n".to_owned() + &lines(200, |n| format!("{n},5\" disk"));
    check("cat q.csv", &text, 100, &["200 rows"], &[]);
}

#[test]
fn keeps_the_precision_of_ranges() {
    let text = "rate,code,id\n".to_owned()
        + &lines(60, |n| format!("0.{:07},{n:04},{}", 10 * n, 9_007_199_254_740_993 + n));
    let expected = ["rate: float 0..0.000059", "code: text", "id: text", "9007199254741052"];
    check("cat x.csv", &text, 120, &expected, &["code: int", "9007199254740992"]);
}

#[test]
fn treats_quoted_digits_as_text() {
    let items: Vec<String> =
        (0..60).map(|n| format!("{{\"id\": {n}, \"zip\": \"{n}\"}}")).collect();
    let text = format!("[\n{}\n]\n", items.join(",\n"));
    check("curl x", &text, 120, &["[].id: int 0..59", "[].zip: text"], &["zip: int"]);
}

#[test]
fn reads_json_after_warnings() {
    let items: Vec<String> = (0..60).map(|n| format!("{{\"id\": {n}}}")).collect();
    let text = format!("WARNING: deprecated\n\nnpm notice\n[\n{}\n]\n", items.join(",\n"));
    check("gh api x", &text, 100, &["JSON array of 60 objects", "WARNING: deprecated"], &[]);
    let answer = format!("HTTP/1.1 200 OK\nServer: x\n\n[\n{}\n]\n", items.join(",\n"));
    check(
        "curl -i x",
        &answer,
        100,
        &["http: HTTP/1.1 200 OK", "array of 60 objects"],
        &["other line"],
    );
    let steps = lines(60, |n| format!("[{n}/60] Compiling part {n}"));
    check("./build", &steps, 60, &[], &["JSON"]);
}

#[test]
fn ignores_html_comments_and_scripts() {
    let text = format!(
        "<!doctype html><html><head><title>A &amp; B</title>\n<script>\nvar x = '<a href=1>';\n</script></head>\n\
         <!-- <a href=2>\n<h1>old</h1> -->\n<a\n  href=\"/a\" title=\"x > y\">A</a><h1>New</h1>\n{}</html>\n",
        lines(60, |n| format!("<p>Paragraph number {n} of the page</p>"))
    );
    check("cat a.html", &text, 100, &["A & B", "1 link", "h1 New"], &["2 link", "3 link", "old"]);
}

#[test]
fn distinguishes_headings_from_code() {
    let text = format!(
        "---\ntitle: x\n---\n# One\n\n~~~\n## no\n```\n## neither\n~~~\n\nUnderlined\n==========\n\nSecond\n------\n\n\
         ![image](a.png) [link](b)\n\n{}",
        lines(60, |n| format!("Paragraph number {n}.\n"))
    );
    let expected =
        ["3 headings", "1 code block", "1 link", "1 image", "12: # Underlined", "15: ## Second"];
    check("cat a.md", &text, 100, &expected, &[": ## no", ": ## neither"]);
}

#[test]
fn yaml_anchors_do_not_break_nesting() {
    let services =
        lines(40, |n| format!("  svc{n}:\n    <<: *d\n    zip: \"0{n}\"\n    port: {}", 80 + n));
    let text = format!("defaults: &d\n  retries: 3\nservices:\n{services}---\nkind: List\n");
    let expected = ["2 documents", "defaults.retries: 3"];
    check("cat y.yaml", &text, 120, &expected, &["\nretries", "object with"]);
}

#[test]
fn separates_sql_results() {
    let table = |name: &str| {
        format!(
            " id | {name} \n----+------\n{}(60 rows)\n\n",
            lines(60, |n| format!(" {n:>2} | x{n}"))
        )
    };
    let text =
        table("name") + &table("city") + "UPDATE 17\nERROR:  relation \"foo\" does not exist\n";
    let expected = ["2 results, 120 rows", "id, name", "id, city", "1 error", "relation \"foo\""];
    check("psql -f x.sql", &text, 200, &expected, &[]);
}

#[test]
fn counts_container_states_without_durations() {
    let head = "CONTAINER ID   IMAGE     COMMAND       CREATED      STATUS                       PORTS      NAMES\n";
    let row = |n: u64, status: &str| {
        format!(
            "d1b2c3d4e5{n:02}   redis:7   \"sleep inf\"   3 days ago   {status:<28} 6379/tcp   r{n}"
        )
    };
    let text = head.to_owned()
        + &lines(30, |n| row(n, &format!("Up {} days", n + 2)))
        + &row(30, "Exited (137) 5 minutes ago")
        + "\n"
        + &row(31, "Restarting (1) 3 seconds ago")
        + "\n";
    let expected = ["STATUS: Up: 30, Exited (137): 1, Restarting (1): 1", "r30", "r31"];
    check("docker ps -a", &text, 150, &expected, &["\"sleep:"]);
}

#[test]
fn comments_are_not_headings() {
    let services =
        "# Network services, Internet style\n#\n# Updated from the registry.\n\ntcpmux\t1/tcp\n"
            .to_owned()
            + &lines(300, |n| {
                if n % 30 == 0 { format!("\n# group {n}\n") } else { format!("svc{n}\t{n}/tcp") }
            });
    let settings = lines(100, |n| format!("# Option {n} of the daemon\n\nOption{n} = yes\n"));
    let dense = lines(100, |n| format!("# What it does\n# and why it does so {n}\nkey{n} yes\n"));
    for text in [services, settings, dense] {
        check("cat /etc/services /etc/x", &text, 90, &[], &["heading"]);
        check("", &text, 90, &[], &["heading"]);
    }
    let document = lines(40, |n| {
        format!("## Chapter {n}\n\nThis chapter tells how it works.\n\n- one item\n")
    });
    check("./notes", &document, 90, &["markdown: 40 headings"], &[]);
}
