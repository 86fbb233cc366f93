//! The document as one HTML file: no network, no script, light and dark, printable.

use std::borrow::Cow;
use std::fmt::Write as _;

use forebay_text::invisible;

use super::chart::{Chart, STYLE};
use super::{Block, Chapter, Document, Section, Subject, Table, document};

/// Forbids the file everything but its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

const PAGE_STYLE: &str = "\
*{box-sizing:border-box}html{color-scheme:light dark}
body{margin:0 auto;max-width:960px;padding:24px 16px 64px;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page)}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 16px}h2{font-size:1.35rem;line-height:1.3;margin:56px 0 16px;padding-top:16px;border-top:2px solid var(--line)}
h1+article h2{border:0;margin-top:24px;padding-top:0}h3{font-size:1.1rem;margin:36px 0 10px}h4{font-size:1rem;margin:24px 0 6px}p,li,dd{max-width:72ch}dt{font-weight:600;margin-top:10px}dd{margin:0;color:var(--soft)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:0;padding:0;list-style:none}
.figures li{border:1px solid var(--line);border-radius:8px;padding:12px}.figures b{display:block;font-size:1.5rem;font-variant-numeric:tabular-nums}
.figures span{font-size:.85rem;color:var(--soft)}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 8px;padding:0;list-style:none;color:var(--soft)}
.legend i{display:inline-block;width:12px;height:12px;border-radius:2px;margin-right:6px;vertical-align:-1px}
.table{overflow-x:auto;margin:12px 0;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--page);min-width:7rem;max-width:11rem;overflow-wrap:break-word;white-space:normal}
thead th{color:var(--soft);font-weight:600;white-space:normal;vertical-align:bottom}tr:last-child td,tr:last-child th{border-bottom:0}tr.sum th,tr.sum td{font-weight:700;border-top:2px solid var(--line)}
tbody th{font-weight:400}
@media print{body{max-width:none;padding:0;font-size:11pt}.table{overflow:visible;border:0}th,td{padding:3px 5px;white-space:normal}h2,h3,h4{break-after:avoid}svg,tr,.figures li{break-inside:avoid}.bars rect,.legend i{print-color-adjust:exact}}
";

/// Renders the report.
pub fn render(subject: Subject<'_>) -> String {
    let Document { title, chapters } = document(subject);
    let title = escaped(title);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    );
    for chapter in &chapters {
        write_chapter(&mut html, chapter);
    }
    html.push_str("</main>\n</body>\n</html>\n");
    html
}

fn write_chapter(html: &mut String, Chapter { title, figures, sections }: &Chapter) {
    let _ = writeln!(html, "<article>\n<h2>{}</h2>", escaped(title));
    if !figures.is_empty() {
        html.push_str("<ul class=\"figures\">\n");
        for figure in figures {
            let (value, label) = (escaped(&figure.value), escaped(&figure.label));
            let _ = writeln!(html, "<li><b>{value}</b><span>{label}</span></li>");
        }
        html.push_str("</ul>\n");
    }
    for section in sections {
        write_section(html, section);
    }
    html.push_str("</article>\n");
}

fn write_section(html: &mut String, Section { title, blocks }: &Section) {
    let _ = writeln!(html, "<section>\n<h3>{}</h3>", escaped(title));
    for block in blocks {
        match block {
            Block::Text(text) => {
                let _ = writeln!(html, "<p>{}</p>", escaped(text));
            }
            Block::Table(table) => write_table(html, table),
            Block::Chart(chart) => write_chart(html, chart),
            Block::Definitions(rows) => {
                html.push_str("<dl>\n");
                for (term, text) in rows {
                    let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escaped(term), escaped(text));
                }
                html.push_str("</dl>\n");
            }
            Block::List(items) => {
                html.push_str("<ul>\n");
                for item in items {
                    let _ = writeln!(html, "<li>{}</li>", escaped(item));
                }
                html.push_str("</ul>\n");
            }
        }
    }
    html.push_str("</section>\n");
}

fn write_chart(html: &mut String, chart: &Chart) {
    if chart.bars.is_empty() {
        return;
    }
    let _ = writeln!(html, "<h4>{}</h4>\n<ul class=\"legend\">", escaped(chart.title));
    for (tone, name) in &chart.legend {
        let _ = writeln!(html, "<li><i class=\"{}\"></i>{}</li>", tone.class(), escaped(name));
    }
    html.push_str("</ul>\n");
    html.push_str(&chart.svg("width=\"100%\""));
}

fn write_table(html: &mut String, table: &Table) {
    html.push_str("<div class=\"table\"><table>\n<thead><tr>");
    for cell in &table.head {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(cell));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for (index, row) in table.rows.iter().enumerate() {
        let is_sum = table.has_sum && index + 1 == table.rows.len();
        html.push_str(if is_sum { "<tr class=\"sum\">" } else { "<tr>" });
        for (column, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            let _ = match column {
                0 => write!(html, "<th scope=\"row\">{cell}</th>"),
                _ => write!(html, "<td>{cell}</td>"),
            };
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table></div>\n");
}

/// A text that HTML and SVG show as it is; invisible characters are shown as escapes.
pub(super) fn escaped(text: &str) -> String {
    let text: Cow<'_, str> = invisible::escape(text);
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_html_reads() {
        assert_eq!(
            escaped("<b a='1' c=\"2\">&</b>"),
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;&lt;/b&gt;"
        );
        assert!(!escaped("a\u{202e}b\u{1b}[2J").contains(['\u{202e}', '\u{1b}']));
    }
}
