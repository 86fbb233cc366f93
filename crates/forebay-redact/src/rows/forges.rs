//! Tokens of code hosts and package registries.

use super::super::class::{ALNUM, HEX, PADDED, WORD};
use super::{MAX_LENGTH, Row, Shape};

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: "github-token",
        literals: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        shape: Shape::Token(&ALNUM, 36, 255),
        redacts: &[
            concat!(
                "git push https://«gh",
                "p_16C7e42F292c6912E7710c838347Ae178B4a»@github.com/a/b"
            ),
            concat!("GITHUB_TOKEN=«gh", "s_abcdefghijklmnopqrstuvwxyz0123456789»"),
            concat!("{\"body\":\"one\\n«gh", "o_16C7e42F292c6912E7710c838347Ae178B4a»\\n\"}"),
        ],
        spares: &[
            "ghp_short",
            "a right ghp_ prefix",
            "weighs_heavily_on_everything_that_is_left_to_do",
        ],
    },
    Row {
        kind: "github-token",
        literals: &["github_pat_"],
        shape: Shape::Token(&WORD, 36, 255),
        redacts: &[concat!(
            "token «github",
            "_pat_11AAAAAAA0abcdefghijkl_mnopqrstuvwxyz0123456789ABCDEFGH»"
        )],
        spares: &["github_pat_regex", "my_github_pat_is_in_the_vault_under_the_usual_name"],
    },
    Row {
        kind: "gitlab-token",
        literals: &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "glsoat-"],
        shape: Shape::Token(&WORD, 20, 255),
        redacts: &[concat!("PRIVATE-TOKEN: «gl", "pat-Ab1Cd2Ef3Gh4Ij5Kl6Mn»")],
        spares: &["glpat-xyz", "a glpat- prefix"],
    },
    Row {
        kind: "forebay-token",
        literals: &["fby_"],
        shape: Shape::Token(&WORD, 40, 60),
        redacts: &[concat!(
            "curl -H 'X: «fby",
            "_k3v9m2a1xq_abcdefghijklmnopqrstuvwxyz234567»' localhost:7878"
        )],
        spares: &["fby_k3v9m2a1xq", "the fby_ prefix"],
    },
    Row {
        kind: "npm-token",
        literals: &["npm_"],
        shape: Shape::Token(&ALNUM, 36, 36),
        redacts: &[concat!(
            "//registry.npmjs.org/:_authToken=«np",
            "m_abcdefghijklmnopqrstuvwxyz0123456789»"
        )],
        spares: &["npm_config_registry=https://registry.npmjs.org", "npm_lifecycle_event"],
    },
    Row {
        kind: "pypi-token",
        literals: &["pypi-AgEI"],
        shape: Shape::Token(&WORD, 40, MAX_LENGTH),
        redacts: &[concat!(
            "password = «pypi-",
            "AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMA»"
        )],
        spares: &["pypi-AgEI", "pypi-publish"],
    },
    Row {
        kind: "rubygems-token",
        literals: &["rubygems_"],
        shape: Shape::Token(&HEX, 48, 48),
        redacts: &[concat!(
            ":rubygems_api_key: «ruby",
            "gems_0123456789abcdef0123456789abcdef0123456789abcdef»"
        )],
        spares: &["rubygems_version", "rubygems_0123456789abcdef"],
    },
    Row {
        kind: "docker-token",
        literals: &["dckr_pat_", "dckr_oat_"],
        shape: Shape::Token(&WORD, 20, 255),
        redacts: &[concat!("docker login -p «dckr", "_pat_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9»")],
        spares: &["dckr_pat_name"],
    },
    Row {
        kind: "atlassian-token",
        literals: &["ATATT3", "ATCTT3"],
        shape: Shape::Token(&PADDED, 60, 400),
        redacts: &[concat!(
            "curl -u me@a.io:«ATATT",
            "3xFfGF0abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-abc=A1B2C3D4»"
        )],
        spares: &["ATATT3", "SATATT30123456789"],
    },
    Row {
        kind: "bitbucket-token",
        literals: &["ATBB"],
        shape: Shape::Token(&ALNUM, 32, 32),
        redacts: &[concat!("app password «AT", "BBabcdefghijklmnop0123456789ABCDEF»")],
        spares: &["ATBBabc", "BATBB"],
    },
    Row {
        kind: "crates-io-token",
        literals: &["cio"],
        shape: Shape::Token(&ALNUM, 32, 32),
        redacts: &[concat!("cargo login «ci", "oAb1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv»")],
        spares: &["ciool", "ratio and precioustones"],
    },
];
