//! Converts HTML to markdown and PDF to text.

mod html;
mod pdf;

pub(crate) use self::html::{charset as html_charset, is_html, to_markdown as html};
pub(crate) use self::pdf::to_text as pdf;
