//! Rust, compared with `syn`: everything that it considers public is in the skeleton.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_skeleton::{SkeletonOptions, Verbosity, language_by_name, skeleton};
use syn::visit::{self, Visit};
use syn::{Fields, ImplItem, Item, TraitItem, Visibility};

use super::{Count, files};

/// Public items of a file by name, in order.
#[derive(Default)]
struct PublicNames(Vec<String>);

impl<'a> Visit<'a> for PublicNames {
    fn visit_item(&mut self, item: &'a Item) {
        if is_test(item) {
            return;
        }
        match item {
            Item::Const(item) => self.add(&item.vis, &item.ident),
            Item::Enum(item) if is_public(&item.vis) => {
                self.0.push(item.ident.to_string());
                self.0.extend(item.variants.iter().map(|variant| variant.ident.to_string()));
            }
            Item::Fn(item) => self.add(&item.vis, &item.sig.ident),
            Item::Macro(item) if is_exported(&item.attrs) => {
                self.0.extend(item.ident.as_ref().map(ToString::to_string));
            }
            Item::Mod(item) => {
                self.add(&item.vis, &item.ident);
                visit::visit_item_mod(self, item);
            }
            Item::Static(item) => self.add(&item.vis, &item.ident),
            Item::Struct(item) => self.add_fields(&item.vis, &item.ident, &item.fields),
            Item::Trait(item) if is_public(&item.vis) => {
                self.0.push(item.ident.to_string());
                self.0.extend(item.items.iter().filter_map(member_of_trait));
            }
            Item::Type(item) => self.add(&item.vis, &item.ident),
            Item::Union(item) => self.add(&item.vis, &item.ident),
            Item::Impl(item) if item.trait_.is_none() => {
                self.0.extend(item.items.iter().filter_map(member_of_impl));
            }
            Item::Use(item) if is_public(&item.vis) => self.visit_use_tree(&item.tree),
            _ => {}
        }
    }

    fn visit_use_name(&mut self, name: &'a syn::UseName) {
        self.0.push(name.ident.to_string());
    }

    fn visit_use_rename(&mut self, rename: &'a syn::UseRename) {
        self.0.push(rename.rename.to_string());
    }
}

impl PublicNames {
    fn add(&mut self, vis: &Visibility, name: &syn::Ident) {
        if is_public(vis) {
            self.0.push(name.to_string());
        }
    }

    fn add_fields(&mut self, vis: &Visibility, name: &syn::Ident, fields: &Fields) {
        if !is_public(vis) {
            return;
        }
        self.0.push(name.to_string());
        let public = fields.iter().filter(|field| is_public(&field.vis));
        self.0.extend(public.filter_map(|field| Some(field.ident.as_ref()?.to_string())));
    }
}

fn is_public(vis: &Visibility) -> bool {
    !matches!(vis, Visibility::Inherited)
}

/// A macro is private otherwise, or its name is in a public `use`.
fn is_exported(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("macro_export"))
}

fn is_test(item: &Item) -> bool {
    let attributes = match item {
        Item::Const(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => return false,
    };
    is_for_tests(attributes)
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

fn member_of_trait(item: &TraitItem) -> Option<String> {
    Some(match item {
        TraitItem::Const(item) => item.ident.to_string(),
        TraitItem::Fn(item) => item.sig.ident.to_string(),
        TraitItem::Type(item) => item.ident.to_string(),
        _ => return None,
    })
}

fn member_of_impl(item: &ImplItem) -> Option<String> {
    Some(match item {
        ImplItem::Const(item) if is_public(&item.vis) && !is_for_tests(&item.attrs) => {
            item.ident.to_string()
        }
        ImplItem::Fn(item) if is_public(&item.vis) && !is_for_tests(&item.attrs) => {
            item.sig.ident.to_string()
        }
        ImplItem::Type(item) if is_public(&item.vis) => item.ident.to_string(),
        _ => return None,
    })
}

/// Counts the public items of a file as words of its skeleton, each word at most once.
fn count(path: &Path) -> Option<Count> {
    let text = fs::read_to_string(path).ok()?;
    let parsed = syn::parse_file(&text).ok()?;
    let mut public = PublicNames::default();
    public.visit_file(&parsed);
    let options = SkeletonOptions { verbosity: Verbosity::Minimal, ..SkeletonOptions::default() };
    let found = skeleton(&text, language_by_name("Rust"), options);
    let mut words: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    for word in found.text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        *words.entry(word).or_default() += 1;
    }
    let mut count = Count { items: public.0.len(), missing: Vec::new() };
    for name in public.0 {
        let plain = name.trim_start_matches("r#");
        match words.get_mut(plain) {
            Some(left) if *left > 0 => *left -= 1,
            _ => count.missing.push(format!("{}: {name} ({:?})", path.display(), found.status)),
        }
    }
    Some(count)
}

#[test]
fn elision_does_not_change_the_skeleton() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let language = language_by_name("Rust").unwrap();
    for file in files(crates, "rs") {
        let text = fs::read_to_string(&file).unwrap();
        let whole = forebay_skeleton::Document::parse(text.as_str(), language).unwrap();
        let whole = whole.skeleton(SkeletonOptions::default());
        let elided = skeleton(&text, Some(language), SkeletonOptions::default());
        assert_eq!(
            (elided.text, elided.summary),
            (whole.text, whole.summary),
            "{}",
            file.display()
        );
    }
}

#[test]
fn this_workspace_is_complete() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut total = Count::default();
    for file in
        files(crates, "rs").iter().filter(|file| !file.to_string_lossy().contains("/tests/"))
    {
        total.add(count(file).unwrap_or_default());
    }
    assert!(total.items > 1_000, "{}", total.items);
    assert!(total.missing.is_empty(), "{:#?}", total.missing);
}

/// `cargo test -p forebay-skeleton --release --test it -- --ignored --nocapture registry`
#[test]
#[ignore = "reads the crates that cargo has fetched on this machine"]
fn registry_is_complete() {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home =
        home.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"));
    let mut crates = 0;
    let mut total = Count::default();
    for registry in fs::read_dir(home.join("registry/src")).unwrap() {
        for folder in fs::read_dir(registry.unwrap().path()).unwrap() {
            crates += 1;
            for file in files(&folder.unwrap().path().join("src"), "rs") {
                total.add(count(&file).unwrap_or_default());
            }
        }
    }
    total.print(&format!("{crates} crates"));
    assert!(total.percent() >= 99.5);
}
