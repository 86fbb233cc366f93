//! What a permission decision costs.

use anyhow::{Context, Result};

use super::Sizes;
use super::stage::Stage;
use super::table::Row;
use crate::shell;

pub(super) fn measure(_: &Stage, _: &Sizes) -> Result<Vec<Row>> {
    let bench = ["bench", "--quiet", "--package", "forebay-domain", "--bench", "rules"];
    let told = shell::output(shell::command("cargo").args(bench))?;
    let told = String::from_utf8(told)?;
    let mut figures = told.split_whitespace().map(str::parse::<f64>);
    let median = figures.next().context("no figure")??;
    let worst = figures.next().context("no second figure")??;
    let remark = format!("over the commands; the slowest of them {worst:.0}");
    Ok(vec![Row::at_most("decision over 200 rules", 100.0, median, "us", remark)])
}
