//! The cost of a permission decision.

use anyhow::{Context, Result};

use super::Sizes;
use super::table::Row;
use crate::installation::Installation;
use crate::process;

pub(super) fn measure(_: &Installation, _: &Sizes) -> Result<Vec<Row>> {
    let bench = ["bench", "--quiet", "--package", "forebay-domain", "--bench", "rules"];
    let stdout = process::stdout_text(process::command("cargo").args(bench))?;
    let mut numbers = stdout.split_whitespace().map(str::parse::<f64>);
    let median = numbers.next().context("no measurement")??;
    let worst = numbers.next().context("no second measurement")??;
    let remark = format!("median over the commands; slowest {worst:.0}");
    Ok(vec![Row::at_most("decision over 200 rules", 100.0, median, "us", remark)])
}
