//! Requests and responses of OpenAI-compatible and Ollama embedding APIs; responses are untrusted.

use forebay_text::vector;
use serde::Deserialize;
use serde_json::json;

/// Longer vectors take longer to compare and find no more.
pub(super) const MAX_DIMENSIONS: usize = 4096;

/// Returns the endpoint: a base URL gets the path of an OpenAI-compatible API, an endpoint stays.
pub(super) fn endpoint(url: &str) -> String {
    let url = url.trim().trim_end_matches('/');
    let is_endpoint = url.ends_with("/embeddings") || url.ends_with("/api/embed");
    if is_endpoint { url.to_owned() } else { format!("{url}/embeddings") }
}

pub(super) fn request_body(model: &str, texts: &[String], dimensions: Option<usize>) -> Vec<u8> {
    let mut body = json!({ "model": model, "input": texts });
    if let Some(dimensions) = dimensions {
        body["dimensions"] = json!(dimensions);
    }
    body.to_string().into_bytes()
}

/// Returns a bound on the response size: long numbers, and room for the JSON around them.
pub(super) fn max_response_bytes(texts: usize) -> u64 {
    const NUMBER_BYTES: usize = 32;
    ((texts * MAX_DIMENSIONS * NUMBER_BYTES) + 64 * 1024) as u64
}

/// Vectors in the order of the texts, and their dimensions; `None` for a zero vector.
#[derive(Debug, PartialEq)]
pub(super) struct Vectors {
    pub(super) dimensions: usize,
    pub(super) vectors: Vec<Option<Vec<u8>>>,
}

/// Why a response is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadResponse {
    #[error("not a list of vectors")]
    NotVectors,
    #[error("{got} vectors for {expected} texts")]
    WrongCount { expected: usize, got: usize },
    #[error("vectors of {got} dimensions, expected {expected}")]
    WrongDimensions { expected: usize, got: usize },
    #[error("a vector has {0} dimensions")]
    Dimensions(usize),
    #[error("a vector has a number that is not finite")]
    NotFinite,
}

/// A response of an OpenAI-compatible API, or of Ollama's own.
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

/// Parses the vectors of `texts` texts; with `dimensions`, they must have these.
pub(super) fn parse_response(
    body: &[u8],
    texts: usize,
    dimensions: Option<usize>,
) -> Result<Vectors, BadResponse> {
    let answer: Answer = serde_json::from_slice(body).map_err(|_| BadResponse::NotVectors)?;
    let rows = match answer {
        Answer::Data { data } => sort_by_index(data)?,
        Answer::Plain { embeddings } => embeddings,
    };
    if rows.len() != texts {
        return Err(BadResponse::WrongCount { expected: texts, got: rows.len() });
    }
    let expected = dimensions.or_else(|| rows.first().map(Vec::len)).unwrap_or_default();
    if let Some(other) = rows.iter().map(Vec::len).find(|length| *length != expected) {
        return Err(BadResponse::WrongDimensions { expected, got: other });
    }
    if expected == 0 || expected > MAX_DIMENSIONS {
        return Err(BadResponse::Dimensions(expected));
    }
    let vectors = rows.iter().map(|row| quantize(row)).collect::<Result<_, _>>()?;
    Ok(Vectors { dimensions: expected, vectors })
}

/// Sorts rows by their index, which must be complete; without indexes, keeps their order.
fn sort_by_index(mut rows: Vec<Row>) -> Result<Vec<Vec<f64>>, BadResponse> {
    if rows.iter().any(|row| row.index.is_some()) {
        rows.sort_by_key(|row| row.index);
        if rows.iter().enumerate().any(|(index, row)| row.index != Some(index)) {
            return Err(BadResponse::NotVectors);
        }
    }
    Ok(rows.into_iter().map(|row| row.embedding).collect())
}

/// Normalizes and quantizes a vector to bytes; `None` for a zero vector.
fn quantize(numbers: &[f64]) -> Result<Option<Vec<u8>>, BadResponse> {
    let numbers: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(BadResponse::NotFinite);
    }
    let mut bytes = vec![0; numbers.len()];
    Ok(vector::quantize(&numbers, &mut bytes).then_some(bytes))
}

/// Extracts a server's error message, in any of the usual shapes.
pub(super) fn error_message(body: &[u8]) -> Option<String> {
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
        expect: Result<&[&[i8]], BadResponse>,
    ) {
        let read = parse_response(body.as_bytes(), texts, dimensions).map(|read| {
            let signed =
                |bytes: Vec<u8>| bytes.into_iter().map(u8::cast_signed).collect::<Vec<i8>>();
            read.vectors.into_iter().map(|vector| vector.map(signed).unwrap_or_default()).collect()
        });
        let expect: Result<Vec<Vec<i8>>, BadResponse> =
            expect.map(|rows| rows.iter().map(|row| row.to_vec()).collect());
        assert_eq!(read, expect, "{body}");
    }

    #[test]
    fn parses_both_shapes_in_the_order_of_texts() {
        check(
            r#"{"data":[{"embedding":[1,-2]},{"embedding":[0,0]}]}"#,
            2,
            None,
            Ok(&[&[64, -127], &[]]),
        );
        let reversed = r#"{"object":"list","data":[{"index":1,"embedding":[1,0]},{"index":0,"embedding":[0,1]}]}"#;
        check(reversed, 2, Some(2), Ok(&[&[0, 127], &[127, 0]]));
        check(r#"{"model":"m","embeddings":[[0.1,0.1]]}"#, 1, None, Ok(&[&[127, 127]]));
    }

    #[test]
    fn rejects_invalid_responses() {
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
            check(body, 1, None, Err(BadResponse::NotVectors));
        }
        check(
            r#"{"embeddings":[[1]]}"#,
            2,
            None,
            Err(BadResponse::WrongCount { expected: 2, got: 1 }),
        );
        let wrong = BadResponse::WrongDimensions { expected: 3, got: 1 };
        check(r#"{"embeddings":[[1]]}"#, 1, Some(3), Err(wrong));
        let uneven = BadResponse::WrongDimensions { expected: 1, got: 2 };
        check(r#"{"embeddings":[[1],[1,2]]}"#, 2, None, Err(uneven));
        check(r#"{"embeddings":[[]]}"#, 1, None, Err(BadResponse::Dimensions(0)));
        check(r#"{"embeddings":[[1e300]]}"#, 1, None, Err(BadResponse::NotFinite));
        let long = format!("{{\"embeddings\":[[{}1]]}}", "1,".repeat(MAX_DIMENSIONS));
        check(&long, 1, None, Err(BadResponse::Dimensions(MAX_DIMENSIONS + 1)));
    }

    #[test]
    fn completes_base_urls_only() {
        assert_eq!(endpoint("http://a/v1/"), "http://a/v1/embeddings");
        assert_eq!(endpoint("http://a/v1/embeddings"), "http://a/v1/embeddings");
        assert_eq!(endpoint("http://a:11434/api/embed"), "http://a:11434/api/embed");
    }

    #[test]
    fn finds_the_error_message_in_any_shape() {
        for body in
            [r#"{"error":{"message":"x"}}"#, r#"{"error":"x"}"#, r#"{"detail":"x"}"#, r#""x""#]
        {
            assert_eq!(error_message(body.as_bytes()).as_deref(), Some("x"), "{body}");
        }
        assert_eq!(error_message(b"<html>"), None);
    }

    /// Generates almost valid responses.
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
        fn valid_responses_have_one_vector_per_text_and_equal_dimensions(
            body in answers(),
            texts in 0_usize..4,
            dimensions in prop::option::of(1_usize..5),
        ) {
            if let Ok(read) = parse_response(body.as_bytes(), texts, dimensions) {
                prop_assert_eq!(read.vectors.len(), texts);
                prop_assert!(dimensions.is_none_or(|expected| expected == read.dimensions));
                prop_assert!(read.vectors.iter().flatten().all(|vector| vector.len() == read.dimensions));
            }
        }

        #[test]
        fn never_panics(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_response(&body, 1, None);
            let _ = error_message(&body);
        }
    }
}
