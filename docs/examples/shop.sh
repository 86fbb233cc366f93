#!/bin/sh
# Creates the small Rust project of the documentation in the current folder: 402 tests, two of which fail.
set -e

mkdir -p src
cat > Cargo.toml <<'END'
[package]
name = "shop"
version = "0.1.0"
edition = "2024"

[workspace]
END
printf '/target\n' > .gitignore
cat > src/lib.rs <<'END'
//! Prices of a shop, in cents.

#[cfg(test)]
mod cases;

/// Adds 19 % tax.
pub fn with_tax(cents: u64) -> u64 {
    cents * 119 / 100
}

/// Takes a discount off a price.
pub fn discounted(cents: u64, percent: u64) -> u64 {
    cents - cents * percent / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tax_rounds_half_up() {
        assert_eq!(with_tax(50), 60);
    }

    #[test]
    fn discount_is_never_negative() {
        assert_eq!(discounted(100, 120), 0);
    }
}
END
{
    printf '//! One test for each item of the catalogue.\n\nuse super::with_tax;\n'
    number=1
    while [ $number -le 400 ]; do
        printf '\n#[test]\nfn item_%03d_costs_more_with_tax() {\n' $number
        printf '    assert!(with_tax(%d00) > %d00);\n}\n' $number $number
        number=$((number + 1))
    done
} > src/cases.rs
git init --quiet --initial-branch=main .
git add .
export GIT_AUTHOR_DATE='2026-11-02T09:00:00Z' GIT_COMMITTER_DATE='2026-11-02T09:00:00Z'
git -c user.name=Ann -c user.email=ann@example.com commit --quiet --message 'Prices with tax and discount'
