//! Import resolution.

use super::*;
use crate::language::detect_language;

fn project() -> ProjectFiles {
    let files = [
        "Cargo.toml",
        "crates/a-b/Cargo.toml",
        "crates/a-b/src/lib.rs",
        "crates/a-b/src/x.rs",
        "crates/a-b/src/x/y.rs",
        "crates/a-b/src/z/mod.rs",
        "crates/c/src/main.rs",
        "crates/c/src/own.rs",
        "web/tsconfig.json",
        "web/src/app.ts",
        "web/src/parts/index.tsx",
        "web/src/parts/button.tsx",
        "web/src/types.d.ts",
        "web/packages/kit/package.json",
        "web/packages/kit/src/index.ts",
        "py/pkg/__init__.py",
        "py/pkg/a.py",
        "py/pkg/sub/__init__.py",
        "py/pkg/sub/b.py",
        "go/go.mod",
        "go/main.go",
        "go/store/store.go",
        "go/store/store_test.go",
        "go/store/disk.go",
        "java/src/main/java/org/ex/App.java",
        "java/src/main/java/org/ex/io/Reader.java",
        "java/src/main/java/org/ex/io/Writer.java",
        "c/src/main.c",
        "c/src/near.h",
        "c/include/lib/far.h",
    ];
    let manifests = [
        ("crates/a-b/Cargo.toml", "[package]\nname = \"a-b\"\nversion = \"1\"\n"),
        ("go/go.mod", "module example.com/go\n\ngo 1.22\n"),
        ("web/packages/kit/package.json", "{ \"name\": \"@web/kit\" }"),
        (
            "web/tsconfig.json",
            "{\n  // comments are allowed\n  \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"src/*\"] } }\n}",
        ),
    ];
    ProjectFiles::new(files.map(str::to_owned), manifests)
}

fn check(path: &str, source: &str, expected: &[&str]) {
    let language = detect_language(path, b"").unwrap();
    let document = Document::parse(source, language).unwrap();
    assert_eq!(
        document.dependencies(path, &project()),
        expected,
        "{path}: {source}\n{:?}",
        document.imports()
    );
}

#[test]
fn resolves_rust_paths() {
    let lib = "crates/a-b/src/lib.rs";
    check(lib, "mod x;\npub mod z;\n", &["crates/a-b/src/x.rs", "crates/a-b/src/z/mod.rs"]);
    check(
        lib,
        "use crate::x::{self, y::Thing, Other as O};",
        &["crates/a-b/src/x.rs", "crates/a-b/src/x/y.rs"],
    );
    check(
        "crates/a-b/src/x/y.rs",
        "use super::Other; use crate::z::*;",
        &["crates/a-b/src/x.rs", "crates/a-b/src/z/mod.rs"],
    );
    check("crates/a-b/src/x.rs", "mod y;\nuse super::root_thing;", &["crates/a-b/src/x/y.rs", lib]);
    check(
        "crates/c/src/main.rs",
        "use a_b::x::Thing;\nuse std::fmt;\nuse own::f;",
        &["crates/a-b/src/x.rs", "crates/c/src/own.rs"],
    );
    check("crates/c/src/own.rs", "use a_b::Thing;", &[lib]);
}

#[test]
fn resolves_javascript_paths() {
    let app = "web/src/app.ts";
    check(
        app,
        "import { a } from \"./parts\";\nexport * from './parts/button.js';",
        &["web/src/parts/index.tsx", "web/src/parts/button.tsx"],
    );
    check(
        app,
        "import type { T } from '@/types';\nimport react from 'react';",
        &["web/src/types.d.ts"],
    );
    check(app, "import { kit } from '@web/kit';", &["web/packages/kit/src/index.ts"]);
    check(
        "web/src/parts/button.tsx",
        "const app = require('../app');\nconst later = import('./index');",
        &[app, "web/src/parts/index.tsx"],
    );
    check(app, "import x from '../../../../out';", &[]);
}

#[test]
fn resolves_python_modules() {
    check(
        "py/pkg/a.py",
        "from . import sub\nfrom .sub.b import thing\nimport os",
        &["py/pkg/sub/__init__.py", "py/pkg/sub/b.py"],
    );
    check(
        "py/pkg/sub/b.py",
        "from ..a import (\n    x,\n    y as z,\n)\nimport pkg.sub",
        &["py/pkg/a.py", "py/pkg/sub/__init__.py"],
    );
    check("py/pkg/sub/b.py", "from .. import *", &["py/pkg/__init__.py"]);
}

#[test]
fn resolves_go_packages() {
    check(
        "go/main.go",
        "package main\n\nimport (\n\t\"fmt\"\n\ts \"example.com/go/store\"\n)\n",
        &["go/store/disk.go", "go/store/store.go"],
    );
}

#[test]
fn resolves_java_classes() {
    let app = "java/src/main/java/org/ex/App.java";
    check(
        app,
        "import org.ex.io.Reader;\nimport java.util.List;",
        &["java/src/main/java/org/ex/io/Reader.java"],
    );
    check(
        app,
        "import static org.ex.io.Writer.write;",
        &["java/src/main/java/org/ex/io/Writer.java"],
    );
    check(
        app,
        "import org.ex.io.*;",
        &["java/src/main/java/org/ex/io/Reader.java", "java/src/main/java/org/ex/io/Writer.java"],
    );
}

#[test]
fn resolves_c_includes() {
    check(
        "c/src/main.c",
        "#include <stdio.h>\n#include \"near.h\"\n#include <lib/far.h>\n",
        &["c/src/near.h", "c/include/lib/far.h"],
    );
}
