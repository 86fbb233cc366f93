//! Values that can replace each other: numbers with a unit, weekdays, languages.
//!
//! Units and number words are brought to one form for all languages, so that "seven days" and "90 Tage" compare.

/// What a value measures; values of one dimension can replace each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dimension {
    Time,
    Date,
    Size,
    Money,
    Share,
    Length,
    Weekday,
    Language,
}

/// A unit: what it measures, the form that is compared, and how it is written.
type Unit = (Dimension, &'static str, &'static [&'static str]);

const UNITS: &[Unit] = &[
    (Dimension::Time, "ms", &["ms", "millisecond", "milliseconds", "millisekunden", "毫"]),
    (
        Dimension::Time,
        "s",
        &[
            "s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden", "segundo",
            "segundos", "seconde", "secondes", "秒",
        ],
    ),
    (
        Dimension::Time,
        "min",
        &["min", "mins", "minute", "minutes", "minuten", "minuto", "minutos", "分"],
    ),
    (
        Dimension::Time,
        "h",
        &[
            "h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "hora", "horas",
            "heure", "heures", "小", "时", "時",
        ],
    ),
    (
        Dimension::Time,
        "d",
        &[
            "d",
            "day",
            "days",
            "tag",
            "tage",
            "tagen",
            "día",
            "días",
            "dia",
            "dias",
            "jour",
            "jours",
            "werktage",
            "werktagen",
            "天",
            "日",
        ],
    ),
    (
        Dimension::Time,
        "week",
        &[
            "week", "weeks", "woche", "wochen", "semana", "semanas", "semaine", "semaines", "周",
            "週",
        ],
    ),
    (
        Dimension::Time,
        "month",
        &["month", "months", "monat", "monate", "monaten", "mes", "meses", "mois", "月"],
    ),
    (
        Dimension::Time,
        "year",
        &["year", "years", "jahr", "jahre", "jahren", "año", "años", "ans", "年"],
    ),
    (
        Dimension::Date,
        "date",
        &[
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
            "januar",
            "februar",
            "märz",
            "mai",
            "juni",
            "juli",
            "oktober",
            "dezember",
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
            "janvier",
            "février",
            "mars",
            "avril",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ],
    ),
    (Dimension::Size, "kb", &["kb", "kib", "kilobytes"]),
    (Dimension::Size, "mb", &["mb", "mib", "megabytes"]),
    (Dimension::Size, "gb", &["gb", "gib", "gigabytes"]),
    (Dimension::Size, "byte", &["byte", "bytes"]),
    (Dimension::Money, "eur", &["€", "eur", "euro", "euros", "欧"]),
    (Dimension::Money, "usd", &["$", "usd", "dollar", "dollars"]),
    (Dimension::Money, "yen", &["¥", "yen", "円", "元"]),
    (Dimension::Share, "%", &["%", "percent", "prozent", "pct", "％"]),
    (Dimension::Length, "px", &["px", "pixel", "pixels"]),
    (Dimension::Length, "mm", &["mm", "millimeter", "毫米"]),
    (Dimension::Length, "cm", &["cm", "centimeter", "zentimeter", "厘"]),
    (Dimension::Length, "km", &["km", "kilometer", "kilometers"]),
];

/// Values that are words, by their kind; those of a row mean the same.
const NAMED: &[(Dimension, &[&str])] = &[
    (Dimension::Weekday, &["monday", "montag", "lunes", "lundi", "周一", "星期一", "月曜"]),
    (Dimension::Weekday, &["tuesday", "dienstag", "martes", "mardi", "周二", "星期二", "火曜"]),
    (
        Dimension::Weekday,
        &["wednesday", "mittwoch", "miércoles", "mercredi", "周三", "星期三", "水曜"],
    ),
    (Dimension::Weekday, &["thursday", "donnerstag", "jueves", "jeudi", "周四", "星期四", "木曜"]),
    (Dimension::Weekday, &["friday", "freitag", "viernes", "vendredi", "周五", "星期五", "金曜"]),
    (Dimension::Weekday, &["saturday", "samstag", "sábado", "samedi", "周六", "星期六", "土曜"]),
    (Dimension::Weekday, &["sunday", "sonntag", "domingo", "dimanche", "周日", "星期日", "日曜"]),
    (Dimension::Language, &["english", "englisch", "inglés", "anglais", "英文", "英语", "英語"]),
    (Dimension::Language, &["german", "deutsch", "alemán", "allemand", "德语", "德文", "ドイツ語"]),
    (
        Dimension::Language,
        &["french", "französisch", "francés", "français", "法语", "法文", "フランス語"],
    ),
    (
        Dimension::Language,
        &["spanish", "spanisch", "español", "espagnol", "西班牙语", "スペイン語"],
    ),
    (Dimension::Language, &["chinese", "chinesisch", "chino", "chinois", "中文", "汉语", "中国語"]),
    (
        Dimension::Language,
        &["japanese", "japanisch", "japonés", "japonais", "日文", "日语", "日本語"],
    ),
];

/// Number words above one, which is an article in many languages.
const NUMBERS: &[(&str, &[&str])] = &[
    ("2", &["two", "zwei", "dos", "deux", "两", "二"]),
    ("3", &["three", "drei", "tres", "trois", "三"]),
    ("4", &["four", "vier", "cuatro", "quatre", "四"]),
    ("5", &["five", "fünf", "cinco", "cinq", "五"]),
    ("6", &["six", "sechs", "seis", "六"]),
    ("7", &["seven", "sieben", "siete", "sept", "七"]),
    ("8", &["eight", "acht", "ocho", "huit", "八"]),
    ("9", &["nine", "neun", "nueve", "neuf", "九"]),
    ("10", &["ten", "zehn", "diez", "dix", "十"]),
    ("12", &["twelve", "zwölf", "doce", "douze"]),
    ("14", &["fourteen", "vierzehn", "catorce", "quatorze"]),
    ("15", &["fifteen", "fünfzehn", "quince", "quinze"]),
    ("20", &["twenty", "zwanzig", "veinte", "vingt"]),
    ("24", &["vierundzwanzig", "veinticuatro"]),
    ("30", &["thirty", "dreißig", "treinta", "trente"]),
    ("40", &["forty", "vierzig", "cuarenta", "quarante"]),
    ("50", &["fifty", "fünfzig", "cincuenta", "cinquante"]),
    ("60", &["sixty", "sechzig", "sesenta", "soixante"]),
    ("90", &["ninety", "neunzig", "noventa"]),
    ("100", &["hundred", "hundert", "cien", "cent"]),
];

/// Returns the form of a unit that is compared; other words stand for themselves.
pub(super) fn unit_of(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(_, _, names)| names.contains(&word)).map(|(_, unit, _)| *unit)
}

/// Whether values of two units can replace each other, both given in the form that is compared.
pub(super) fn measure_the_same(one: &str, other: &str) -> bool {
    one == other || dimension_of(one).is_some_and(|one| dimension_of(other) == Some(one))
}

/// Returns what a unit measures.
fn dimension_of(unit: &str) -> Option<Dimension> {
    let of_unit = UNITS.iter().find(|(_, known, _)| *known == unit);
    of_unit.map(|(dimension, ..)| *dimension).or_else(|| {
        NAMED.iter().map(|(dimension, _)| *dimension).find(|one| named_unit(*one) == unit)
    })
}

/// Returns the number that a word means.
pub(super) fn number_of(word: &str) -> Option<&'static str> {
    NUMBERS.iter().find(|(_, words)| words.contains(&word)).map(|(number, _)| *number)
}

/// Returns the value that a word names, in one form for all languages, with its unit.
pub(super) fn named_value(word: &str) -> Option<(&'static str, &'static str)> {
    let (dimension, names) = NAMED.iter().find(|(_, names)| names.contains(&word))?;
    Some((names.first()?, named_unit(*dimension)))
}

/// Returns the named values and the numbers with units in a run without blanks: `三天`, `周五`.
pub(super) fn values_of_run(run: &str) -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    for (dimension, names) in NAMED {
        let is_in_run = |name: &&&str| !name.is_ascii() && run.contains(**name);
        if names.iter().find(is_in_run).is_some()
            && let Some(value) = names.first()
        {
            found.push((*value, named_unit(*dimension)));
        }
    }
    let mut chars = run.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let Some((next, follows)) = chars.peek().copied() else { break };
        let number = number_of(&run[at..next]);
        let unit = unit_of(&run[next..next + follows.len_utf8()]);
        // `十五天` is another number than five.
        let is_end = !run[..at].chars().next_back().is_some_and(is_numeral);
        if let (Some(number), Some(unit), true, true) = (number, unit, is_end, is_numeral(c)) {
            found.push((number, unit));
        }
    }
    found
}

fn is_numeral(c: char) -> bool {
    "一二两三四五六七八九十百千万".contains(c)
}

/// Whether a unit is that of values that are words, of which a sentence may name several.
pub(super) fn is_named(unit: &str) -> bool {
    unit.starts_with('#')
}

fn named_unit(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Weekday => "#weekday",
        _ => "#language",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_numbers_have_one_form_for_all_languages() {
        for days in ["days", "Tage", "días", "jours", "天"] {
            assert_eq!(unit_of(&days.to_lowercase()), Some("d"), "{days}");
        }
        assert!(measure_the_same("min", "h") && !measure_the_same("min", "mb"));
        assert_eq!((number_of("sieben"), number_of("one")), (Some("7"), None));
        assert_eq!(named_value("freitag"), Some(("friday", "#weekday")));
        assert_eq!(dimension_of("#language"), Some(Dimension::Language));
        assert_eq!(values_of_run("改到周五保留三天"), [("friday", "#weekday"), ("3", "d")]);
        assert_eq!(values_of_run("十五天"), []);
    }
}
