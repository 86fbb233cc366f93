//! Tests of the streams of a session.

use super::*;

fn now<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn opened(streams: &Streams, ids: &[&str]) -> Result<u64, Refused> {
    let request = |id: &&str| Request { id: (*id).to_owned(), progress_token: None };
    streams.open(ids.iter().map(request).collect(), false)
}

async fn rest(mut reader: Reader) -> Vec<String> {
    let mut messages = Vec::new();
    while let Some(event) = reader.next().await {
        messages.push(event.message.to_string());
    }
    messages
}

#[test]
fn messages_reach_the_stream_they_are_about() {
    now(async {
        let streams = Arc::new(Streams::default());
        let request = Request { id: "1".into(), progress_token: Some("\"p\"".into()) };
        let first = streams.open(vec![request], false).unwrap();
        let second = opened(&streams, &["2", "\"2\""]).unwrap();
        let none = || Vec::new();
        let both = || vec!["2".to_owned(), "1".to_owned()];
        let progress = r#"{"method":"p","params":{"progressToken":"p"}}"#;
        streams.deliver(progress, &none);
        streams.deliver(r#"{"id":"q","method":"ask"}"#, &both);
        streams.deliver(r#"{"method":"log"}"#, &none);
        for id in ["1", "2", "\"2\"", "3"] {
            streams.answer(id, &format!("answer {id}"));
        }
        assert_eq!(rest(streams.read(first, None).unwrap()).await, [progress, "answer 1"]);
        let reader = streams.read(second, None).unwrap();
        assert_eq!(
            rest(reader).await,
            [r#"{"id":"q","method":"ask"}"#, "answer 2", "answer \"2\""]
        );
        let unasked = streams.read(UNASKED, None).unwrap();
        streams.end();
        assert_eq!(rest(unasked).await, [r#"{"method":"log"}"#]);
    });
}

#[test]
fn a_stream_is_taken_up_behind_an_event() {
    now(async {
        let streams = Arc::new(Streams::default());
        let number = opened(&streams, &["1"]).unwrap();
        streams.deliver(r#"{"method":"a"}"#, &|| vec!["1".to_owned()]);
        let mut broken = streams.read(number, None).unwrap();
        assert_eq!(broken.next().await.unwrap().id, format!("{number}.0"));
        streams.answer("1", "answer");
        let again = streams.read(number, Some(0)).unwrap();
        assert!(broken.next().await.is_none(), "taken over");
        assert_eq!(rest(again).await, ["answer"]);
        assert_eq!(rest(streams.read(number, None).unwrap()).await, [""; 0]);
    });
}

#[test]
fn ids_in_use_are_refused_until_they_are_given_up() {
    let streams = Arc::new(Streams::default());
    opened(&streams, &["1"]).unwrap();
    assert!(matches!(opened(&streams, &["1"]), Err(Refused::IdInUse)));
    assert!(matches!(opened(&streams, &["2", "2"]), Err(Refused::IdInUse)));
    streams.give_up("1");
    assert!(!streams.have_unanswered());
    opened(&streams, &["1"]).unwrap();
    let many: Vec<String> = (10..2_000).map(|id| id.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(matches!(opened(&streams, &many), Err(Refused::TooMany)));
}

#[test]
fn memory_is_bounded_and_answers_stay() {
    now(async {
        let streams = Arc::new(Streams::default());
        let number = opened(&streams, &["1"]).unwrap();
        let long = format!(r#"{{"method":"x","params":"{}"}}"#, "x".repeat(1 << 20));
        for _ in 0..10 {
            streams.deliver(&long, &|| vec!["1".to_owned()]);
        }
        streams.answer("1", "answer");
        let messages = rest(streams.read(number, None).unwrap()).await;
        assert_eq!(messages.last().unwrap(), "answer");
        assert!(messages.len() < 6, "{}", messages.len());
        for id in 0..1_000 {
            let id = format!("r{id}");
            opened(&streams, &[&id]).unwrap();
            streams.answer(&id, "answer");
        }
        let state = streams.state();
        assert!(state.streams.len() <= MAX_KEPT_STREAMS + 1, "{}", state.streams.len());
    });
}

#[test]
fn answers_are_bounded_in_bytes() {
    now(async {
        let streams = Arc::new(Streams::default());
        let long = "x".repeat(MAX_LINE_BYTES / 2);
        // The first one has no reader any more; the others are read, or wait for their readers.
        let numbers = ["1", "2", "3", "4"].map(|id| opened(&streams, &[id]).unwrap());
        let readers: Vec<Reader> =
            numbers[1..].iter().map(|one| streams.read(*one, None).unwrap()).collect();
        for id in ["1", "2", "3"] {
            streams.answer(id, &long);
        }
        assert!(streams.read(numbers[0], None).is_none(), "forgotten");
        streams.answer("4", &long);
        let mut answers = Vec::new();
        for reader in readers {
            answers.extend(rest(reader).await);
        }
        assert_eq!((answers[0].len(), answers[1].len()), (long.len(), long.len()));
        assert!(answers[2].contains("not read yet") && answers[2].contains("\"id\":4"));
        // What was read makes room.
        let again = opened(&streams, &["5"]).unwrap();
        streams.answer("5", &long);
        assert_eq!(rest(streams.read(again, None).unwrap()).await[0].len(), long.len());
    });
}
