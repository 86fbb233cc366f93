//! Converts HTML to markdown and PDF to text.

mod html;
mod pdf;

pub use self::html::{charset as html_charset, is_html, to_markdown as html};
pub use self::pdf::to_text as pdf;
