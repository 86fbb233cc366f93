//! The skeleton of each sample, as it is shown.

use forebay_skeleton::{Document, Options, State, Verbosity, language_named, skeleton};

use crate::samples;

#[test]
fn every_sample_has_its_skeleton() {
    for sample in samples::all() {
        let skeleton = skeleton(&sample.text, Some(sample.language), Options::default());
        assert_eq!(skeleton.state, State::Parsed, "{}", sample.file);
        insta::with_settings!({ description => "", omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(sample.file.as_str(), skeleton.with_head(&sample.file));
        });
    }
}

/// Long files are parsed without the bodies of their functions.
#[test]
fn a_long_file_is_told_as_if_it_were_parsed_whole() {
    for sample in samples::all() {
        let text = sample.text.repeat(10_000 / sample.text.len() + 1);
        let whole = Document::parse(text.as_str(), sample.language).unwrap();
        let whole = whole.skeleton(Options::default());
        let told = skeleton(&text, Some(sample.language), Options::default());
        for (told, whole) in told.text.lines().zip(whole.text.lines()) {
            assert_eq!(told, whole, "{}", sample.file);
        }
        // What stands in bodies and tests is nobody's.
        for symbol in told.symbols.iter().filter(|symbol| symbol.public) {
            assert!(whole.symbols.contains(symbol), "{}: {symbol:?}", sample.file);
        }
        assert_eq!(told.text.len(), whole.text.len(), "{}", sample.file);
    }
}

fn check(name: &str, options: Options) {
    let sample = samples::named("rust.rs");
    let skeleton = skeleton(&sample.text, Some(sample.language), options);
    insta::with_settings!({ description => "", omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, skeleton.with_head(&sample.file));
    });
}

#[test]
fn minimal_is_signatures_alone() {
    check("minimal", Options { verbosity: Verbosity::Minimal, ..Options::default() });
}

#[test]
fn minimal_cuts_long_signatures_between_words_and_only_where_it_pays() {
    let told = |options: usize, verbosity: Verbosity| {
        let many = "option=None, ".repeat(options);
        let text = format!("def dumps(obj, {many}sort_keys=False):\n    pass\n");
        let options = Options { verbosity, ..Options::default() };
        skeleton(&text, language_named("Python"), options).text
    };
    let whole = |text: &str| text.ends_with("sort_keys=False): ...\n");
    assert!(whole(&told(30, Verbosity::Standard)));
    assert!(whole(&told(12, Verbosity::Minimal)), "{}", told(12, Verbosity::Minimal));
    let cut = told(30, Verbosity::Minimal);
    assert!(cut.contains("option=None, ... (") && !cut.contains("sort_keys"), "{cut}");
}

#[test]
fn verbose_docs_keep_their_examples() {
    let text = "/// Adds.\n///\n/// ```\n/// if a {\n///     add(1);\n/// }\n/// ```\npub fn add(a: u8) {}\n";
    let options = Options { verbosity: Verbosity::Verbose, ..Options::default() };
    let told = skeleton(text, language_named("Rust"), options).text;
    insta::assert_snapshot!(told, @r"
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
fn verbose_has_all_docs() {
    check("verbose", Options { verbosity: Verbosity::Verbose, ..Options::default() });
}

#[test]
fn line_numbers_tell_where_to_read_on() {
    check("line_numbers", Options { line_numbers: true, ..Options::default() });
}

#[test]
fn private_items_are_shown_when_asked_for() {
    check("private", Options { private: true, ..Options::default() });
}

/// Apart from the sample: without its first line, what such a class is made of reads as assignments.
#[test]
fn a_class_of_r6_tells_its_members() {
    let text = "#' A singer.\nSinger <- R6::R6Class(\"Singer\",\n  inherit = Person,\n  public = list(\n    name = NULL,\n    sing = function(loud = FALSE) {\n      cat(self$name)\n    }\n  ),\n  private = list(age = 1),\n  active = list(pitch = function(value) 1)\n)\n";
    let told = skeleton(text, language_named("R"), Options::default());
    insta::assert_snapshot!(told.text, @r"
    # A singer.
    Singer <- R6::R6Class(
        inherit = Person,
        name = NULL,
        sing = function(loud = FALSE)
        pitch = function(value)
    )
    ");
}
