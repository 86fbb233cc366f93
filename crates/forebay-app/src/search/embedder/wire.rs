//! What is asked of a server, and what it answers: read as foreign bytes are, with nothing taken for granted.

use forebay_text::vector;
use serde::Deserialize;
use serde_json::json;

/// Longer vectors are no use: comparing them takes longer, and finds no more.
pub(super) const MOST_DIMENSIONS: usize = 4096;

/// Where a server is asked: a base gets the path of an OpenAI-compatible API, a whole address stays.
pub(super) fn address(url: &str) -> String {
    let url = url.trim().trim_end_matches('/');
    let is_whole = url.ends_with("/embeddings") || url.ends_with("/api/embed");
    if is_whole { url.to_owned() } else { format!("{url}/embeddings") }
}

pub(super) fn request(model: &str, texts: &[String], dimensions: Option<usize>) -> Vec<u8> {
    let mut asked = json!({ "model": model, "input": texts });
    if let Some(dimensions) = dimensions {
        asked["dimensions"] = json!(dimensions);
    }
    asked.to_string().into_bytes()
}

/// The size of an answer at most: so many vectors, with room for long numbers and for words around them.
pub(super) fn most_bytes(texts: usize) -> u64 {
    const NUMBER_BYTES: usize = 32;
    ((texts * MOST_DIMENSIONS * NUMBER_BYTES) + 64 * 1024) as u64
}

/// Vectors in the order of the texts, and how many numbers each had; none for a text without a direction.
#[derive(Debug, PartialEq)]
pub(super) struct Vectors {
    pub(super) dimensions: usize,
    pub(super) vectors: Vec<Option<Vec<u8>>>,
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Nonsense {
    #[error("it is no list of vectors")]
    NoVectors,
    #[error("{got} vectors where {wanted} were asked for")]
    WrongCount { wanted: usize, got: usize },
    #[error("vectors of {got} numbers where {wanted} were expected")]
    WrongDimensions { wanted: usize, got: usize },
    #[error("a vector has {0} numbers")]
    Dimensions(usize),
    #[error("a vector has a number that is none")]
    NoNumber,
}

/// As OpenAI answers and whoever speaks like it, or as Ollama's own API does.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Data { data: Vec<Row> },
    Plain { embeddings: Vec<Vec<f64>> },
}

#[derive(Deserialize)]
struct Row {
    index: Option<usize>,
    embedding: Vec<f64>,
}

/// Reads the vectors of so many texts; where a length is expected, they must have it.
pub(super) fn read(
    body: &[u8],
    texts: usize,
    dimensions: Option<usize>,
) -> Result<Vectors, Nonsense> {
    let answer: Answer = serde_json::from_slice(body).map_err(|_| Nonsense::NoVectors)?;
    let rows = match answer {
        Answer::Data { data } => in_order(data)?,
        Answer::Plain { embeddings } => embeddings,
    };
    if rows.len() != texts {
        return Err(Nonsense::WrongCount { wanted: texts, got: rows.len() });
    }
    let wanted = dimensions.or_else(|| rows.first().map(Vec::len)).unwrap_or_default();
    if let Some(other) = rows.iter().map(Vec::len).find(|length| *length != wanted) {
        return Err(Nonsense::WrongDimensions { wanted, got: other });
    }
    if wanted == 0 || wanted > MOST_DIMENSIONS {
        return Err(Nonsense::Dimensions(wanted));
    }
    let vectors = rows.iter().map(|row| in_bytes(row)).collect::<Result<_, _>>()?;
    Ok(Vectors { dimensions: wanted, vectors })
}

/// Rows by their index, each once; as they stand where none is given.
fn in_order(mut rows: Vec<Row>) -> Result<Vec<Vec<f64>>, Nonsense> {
    if rows.iter().any(|row| row.index.is_some()) {
        rows.sort_by_key(|row| row.index);
        if rows.iter().enumerate().any(|(place, row)| row.index != Some(place)) {
            return Err(Nonsense::NoVectors);
        }
    }
    Ok(rows.into_iter().map(|row| row.embedding).collect())
}

fn in_bytes(numbers: &[f64]) -> Result<Option<Vec<u8>>, Nonsense> {
    let direction: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
    if direction.iter().any(|number| !number.is_finite()) {
        return Err(Nonsense::NoNumber);
    }
    let mut bytes = vec![0; direction.len()];
    Ok(vector::quantize(&direction, &mut bytes).then_some(bytes))
}

/// What a server says of a refusal, in any of the usual shapes.
pub(super) fn said(body: &[u8]) -> Option<String> {
    let answer: serde_json::Value = serde_json::from_slice(body).ok()?;
    let error = answer.get("error").or_else(|| answer.get("detail")).unwrap_or(&answer);
    let text = error.get("message").unwrap_or(error).as_str()?;
    Some(text.to_owned()).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(
        body: &str,
        texts: usize,
        dimensions: Option<usize>,
        expect: Result<&[&[i8]], Nonsense>,
    ) {
        let read = read(body.as_bytes(), texts, dimensions).map(|read| {
            let signed =
                |bytes: Vec<u8>| bytes.into_iter().map(u8::cast_signed).collect::<Vec<i8>>();
            read.vectors.into_iter().map(|vector| vector.map(signed).unwrap_or_default()).collect()
        });
        let expect: Result<Vec<Vec<i8>>, Nonsense> =
            expect.map(|rows| rows.iter().map(|row| row.to_vec()).collect());
        assert_eq!(read, expect, "{body}");
    }

    #[test]
    fn both_shapes_are_read_in_the_order_of_the_texts() {
        check(
            r#"{"data":[{"embedding":[1,-2]},{"embedding":[0,0]}]}"#,
            2,
            None,
            Ok(&[&[64, -127], &[]]),
        );
        let turned = r#"{"object":"list","data":[{"index":1,"embedding":[1,0]},{"index":0,"embedding":[0,1]}]}"#;
        check(turned, 2, Some(2), Ok(&[&[0, 127], &[127, 0]]));
        check(r#"{"model":"m","embeddings":[[0.1,0.1]]}"#, 1, None, Ok(&[&[127, 127]]));
    }

    #[test]
    fn nonsense_is_told() {
        for body in [
            "",
            "<html>",
            "{}",
            r#"{"error":{"message":"no"}}"#,
            r#"{"embeddings":[["a"]]}"#,
            r#"{"embeddings":[[NaN]]}"#,
            r#"{"embeddings":[[null]]}"#,
            r#"{"embeddings":[[1e999]]}"#,
            r#"{"data":[{"index":3,"embedding":[1]}]}"#,
            r#"{"data":[{"index":0,"embedding":[1]},{"embedding":[1]}]}"#,
        ] {
            check(body, 1, None, Err(Nonsense::NoVectors));
        }
        check(r#"{"embeddings":[[1]]}"#, 2, None, Err(Nonsense::WrongCount { wanted: 2, got: 1 }));
        let wrong = Nonsense::WrongDimensions { wanted: 3, got: 1 };
        check(r#"{"embeddings":[[1]]}"#, 1, Some(3), Err(wrong));
        let uneven = Nonsense::WrongDimensions { wanted: 1, got: 2 };
        check(r#"{"embeddings":[[1],[1,2]]}"#, 2, None, Err(uneven));
        check(r#"{"embeddings":[[]]}"#, 1, None, Err(Nonsense::Dimensions(0)));
        check(r#"{"embeddings":[[1e300]]}"#, 1, None, Err(Nonsense::NoNumber));
        let long = format!("{{\"embeddings\":[[{}1]]}}", "1,".repeat(MOST_DIMENSIONS));
        check(&long, 1, None, Err(Nonsense::Dimensions(MOST_DIMENSIONS + 1)));
    }

    #[test]
    fn an_address_is_completed_once() {
        assert_eq!(address("http://a/v1/"), "http://a/v1/embeddings");
        assert_eq!(address("http://a/v1/embeddings"), "http://a/v1/embeddings");
        assert_eq!(address("http://a:11434/api/embed"), "http://a:11434/api/embed");
    }

    #[test]
    fn a_refusal_is_told_in_any_shape() {
        for body in
            [r#"{"error":{"message":"x"}}"#, r#"{"error":"x"}"#, r#"{"detail":"x"}"#, r#""x""#]
        {
            assert_eq!(said(body.as_bytes()).as_deref(), Some("x"), "{body}");
        }
        assert_eq!(said(b"<html>"), None);
    }

    /// Something like an answer.
    fn answers() -> impl Strategy<Value = String> {
        let number = prop_oneof![
            any::<f32>().prop_map(|number| format!("{number}")),
            Just("null".to_owned()),
            Just("1e400".to_owned()),
            Just("\"x\"".to_owned()),
        ];
        let vector =
            prop::collection::vec(number, 0..5).prop_map(|row| format!("[{}]", row.join(",")));
        let row = (prop::option::of(0_usize..4), vector.clone()).prop_map(|(index, vector)| {
            let index = index.map(|index| format!("\"index\":{index},")).unwrap_or_default();
            format!("{{{index}\"embedding\":{vector}}}")
        });
        prop_oneof![
            prop::collection::vec(row, 0..4)
                .prop_map(|rows| format!("{{\"data\":[{}]}}", rows.join(","))),
            prop::collection::vec(vector, 0..4)
                .prop_map(|rows| format!("{{\"embeddings\":[{}]}}", rows.join(","))),
        ]
    }

    proptest! {
        #[test]
        fn any_answer_gives_one_vector_a_text_all_of_one_length_or_nothing(
            body in answers(),
            texts in 0_usize..4,
            dimensions in prop::option::of(1_usize..5),
        ) {
            if let Ok(read) = read(body.as_bytes(), texts, dimensions) {
                prop_assert_eq!(read.vectors.len(), texts);
                prop_assert!(dimensions.is_none_or(|wanted| wanted == read.dimensions));
                prop_assert!(read.vectors.iter().flatten().all(|vector| vector.len() == read.dimensions));
            }
        }

        #[test]
        fn any_bytes_are_no_reason_to_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&body, 1, None);
            let _ = said(&body);
        }
    }
}
