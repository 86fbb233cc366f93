//! Which terms a call names, and which a text shows.

use super::*;

#[track_caller]
fn check(call: &str, known: &str, expect: &[(TermKind, &str)]) {
    let index = TermIndex::of_text(known);
    let mut is_known = |term: &Term| index.shows(term, known) && term.kind != TermKind::Name;
    let found = mentions(call, Some("/home/user/shop"), &mut is_known);
    let found: Vec<(TermKind, &str)> =
        found.iter().map(|term| (term.kind, term.text.as_str())).collect();
    assert_eq!(found, expect, "{call}");
}

#[test]
fn finds_paths() {
    use TermKind::Path;
    check("sed -n 3p src/cart/total.rs", "", &[(Path, "src/cart/total.rs")]);
    check("cat ./a/b ../c.py README.md", "", &[(Path, "a/b"), (Path, "c.py"), (Path, "README.md")]);
    check("vi /home/user/shop/src/x.rs:12", "", &[(Path, "src/x.rs")]);
    check("vi /tmp/w/src/x.rs", "error in src/x.rs:3:1", &[(Path, "src/x.rs")]);
    check("vi /tmp/w/src/x.rs", "", &[(Path, "tmp/w/src/x.rs")]);
    check("echo 1.5 e.g. and/or 3/4", "", &[(Path, "and/or")]);
}

#[test]
fn finds_names() {
    use TermKind::Name;
    check(
        "git show 3f9ac21 parseCart cart_total x1 cart TOTAL 12345 1234 python3",
        "",
        &[(Name, "3f9ac21"), (Name, "parseCart"), (Name, "cart_total"), (Name, "12345")],
    );
}

#[test]
fn line_or_quote_stands_for_its_names() {
    use TermKind::{Line, Name, Quote};
    let known = "  12\tlet cart_total = 0;\nerror: mismatched type_id here";
    check("let cart_total = 0;", known, &[(Line, "let cart_total = 0;")]);
    check("let cart_total = 1;", known, &[(Name, "cart_total")]);
    check("grep -n 'mismatched type_id here' x", known, &[(Quote, "mismatched type_id here")]);
    check("grep -n 'mismatched type_id there' x", known, &[(Name, "type_id")]);
}

#[track_caller]
fn check_shown(kind: TermKind, term: &str, text: &str, expect: bool) {
    assert_eq!(
        TermIndex::of_text(text).shows(&Term::new(kind, term), text),
        expect,
        "{term}: {text}"
    );
}

#[test]
fn text_shows_terms_as_wholes() {
    use TermKind::{Line, Name, Path, Quote};
    check_shown(Path, "src/a.rs", "--> src/a.rs:3:4", true);
    check_shown(Path, "src/a.rs", "/home/user/src/a.rs", true);
    check_shown(Path, "src/a.rs", "src/a.rst", false);
    check_shown(Path, "src/a.rs", "src/\n  a.rs\n  b.rs", true);
    check_shown(Path, "src/a.rs", "lib/a.rs", false);
    check_shown(Path, "src/cart", "src/cart/total.rs", true);
    check_shown(Path, "a.rs", "src/a.rs", true);
    check_shown(Name, "cart_total", "self.cart_total()", true);
    check_shown(Name, "cart_total", "cart_totals", false);
    check_shown(Line, "let cart = Cart::new();", "src/a.rs:7:    let cart = Cart::new();", true);
    check_shown(Line, "let cart = Cart::new();", "let cart = Cart::old();", false);
    check_shown(Quote, "no such cart here", "E: no such cart here.", true);
}

#[test]
fn first_text_counts() {
    let mut index = TermIndex::default();
    index.add("see src/a.rs", 3);
    index.add("src/a.rs and cart_total", 5);
    assert_eq!(index.origin(&Term::new(TermKind::Path, "src/a.rs")), Some(3));
    assert_eq!(index.origin(&Term::new(TermKind::Name, "cart_total")), Some(5));
    assert_eq!(index.origin(&Term::new(TermKind::Name, "cart_sum")), None);
}

#[test]
fn tables_are_sorted() {
    assert!(EXTENSIONS.is_sorted() && COMMON_NAMES.is_sorted());
}
