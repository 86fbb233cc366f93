//! Snapshots of the skeleton of each sample.

use forebay_skeleton::{
    Document, SkeletonOptions, SkeletonStatus, Verbosity, language_by_name, skeleton,
};

use crate::samples;

#[test]
fn every_sample_has_its_skeleton() {
    for sample in samples::all() {
        let skeleton = skeleton(&sample.text, Some(sample.language), SkeletonOptions::default());
        assert_eq!(skeleton.status, SkeletonStatus::Parsed, "{}", sample.file);
        insta::with_settings!({ description => "", omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(sample.file.as_str(), skeleton.with_header(&sample.file));
        });
    }
}

/// Long files are parsed without function bodies.
#[test]
fn elision_does_not_change_the_skeleton() {
    for sample in samples::all() {
        let text = sample.text.repeat(10_000 / sample.text.len() + 1);
        let whole = Document::parse(text.as_str(), sample.language).unwrap();
        let whole = whole.skeleton(SkeletonOptions::default());
        let elided = skeleton(&text, Some(sample.language), SkeletonOptions::default());
        for (elided, whole) in elided.text.lines().zip(whole.text.lines()) {
            assert_eq!(elided, whole, "{}", sample.file);
        }
        // Symbols in bodies and tests are not compared.
        for symbol in elided.symbols.iter().filter(|symbol| symbol.is_public) {
            assert!(whole.symbols.contains(symbol), "{}: {symbol:?}", sample.file);
        }
        assert_eq!(elided.text.len(), whole.text.len(), "{}", sample.file);
    }
}

fn check(name: &str, options: SkeletonOptions) {
    let sample = samples::named("rust.rs");
    let skeleton = skeleton(&sample.text, Some(sample.language), options);
    insta::with_settings!({ description => "", omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, skeleton.with_header(&sample.file));
    });
}

#[test]
fn minimal_shows_signatures_only() {
    check(
        "minimal",
        SkeletonOptions { verbosity: Verbosity::Minimal, ..SkeletonOptions::default() },
    );
}

#[test]
fn minimal_cuts_long_signatures_between_words() {
    let elided = |options: usize, verbosity: Verbosity| {
        let many = "option=None, ".repeat(options);
        let text = format!("def dumps(obj, {many}sort_keys=False):\n    pass\n");
        let options = SkeletonOptions { verbosity, ..SkeletonOptions::default() };
        skeleton(&text, language_by_name("Python"), options).text
    };
    let whole = |text: &str| text.ends_with("sort_keys=False): ...\n");
    assert!(whole(&elided(30, Verbosity::Standard)));
    assert!(whole(&elided(12, Verbosity::Minimal)), "{}", elided(12, Verbosity::Minimal));
    let cut = elided(30, Verbosity::Minimal);
    assert!(cut.contains("option=None, ... (") && !cut.contains("sort_keys"), "{cut}");
}

#[test]
fn verbose_keeps_examples_in_docs() {
    let text = "/// Adds.\n///\n/// ```\n/// if a {\n///     add(1);\n/// }\n/// ```\npub fn add(a: u8) {}\n";
    let options = SkeletonOptions { verbosity: Verbosity::Verbose, ..SkeletonOptions::default() };
    let elided = skeleton(text, language_by_name("Rust"), options).text;
    insta::assert_snapshot!(elided, @r"
    /// Adds.
    ///
    /// ```
    /// if a {
    ///     add(1);
    /// }
    /// ```
    pub fn add(a: u8)
    ");
}

#[test]
fn verbose_shows_all_docs() {
    check(
        "verbose",
        SkeletonOptions { verbosity: Verbosity::Verbose, ..SkeletonOptions::default() },
    );
}

#[test]
fn shows_line_numbers() {
    check("line_numbers", SkeletonOptions { line_numbers: true, ..SkeletonOptions::default() });
}

#[test]
fn shows_private_items_on_request() {
    check("private", SkeletonOptions { include_private: true, ..SkeletonOptions::default() });
}

/// Not part of the sample: without its first line, the members of such a class parse as assignments.
#[test]
fn shows_members_of_r6_classes() {
    let text = "#' A singer.\nSinger <- R6::R6Class(\"Singer\",\n  inherit = Person,\n  public = list(\n    name = NULL,\n    sing = function(loud = FALSE) {\n      cat(self$name)\n    }\n  ),\n  private = list(age = 1),\n  active = list(pitch = function(value) 1)\n)\n";
    let elided = skeleton(text, language_by_name("R"), SkeletonOptions::default());
    insta::assert_snapshot!(elided.text, @r"
    # A singer.
    Singer <- R6::R6Class(
        inherit = Person,
        name = NULL,
        sing = function(loud = FALSE)
        pitch = function(value)
    )
    ");
}
