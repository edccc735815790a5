use super::*;
use goald_schema::protocol::daemon::{DaemonStop, NoParams};
use std::os::unix::net::UnixListener;

/// A daemon that answers the greeting, then says these bytes to the next request and hangs up.
fn against(answer: Vec<u8>) -> CliError {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("s");
    let listener = UnixListener::bind(&socket).expect("bound");
    let daemon = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("accepted");
        let mut reader = BufReader::new(stream.try_clone().expect("cloned"));
        let mut writer = stream;
        let mut line = String::new();
        reader.read_line(&mut line).expect("greeted");
        let hello = r#"{"jsonrpc":"2.0","id":1,"result":{"version":1,"daemon":"0","actor":{"kind":"human"}}}"#;
        writer.write_all(format!("{hello}\n").as_bytes()).expect("answered");
        line.clear();
        reader.read_line(&mut line).expect("asked");
        // A client that hangs up early is what some of these answers ask for.
        writer.write_all(&answer).ok();
    });
    let places = Places { socket, ..Places::inside(folder.path().into()) };
    let mut connection = Connection::open(&places, Via::Cli, OnDemand::Leave).expect("greeted");
    let error = connection.call::<DaemonStop>(&NoParams {}).expect_err("refused");
    daemon.join().expect("the daemon's thread ended");
    error
}

#[test]
fn an_answer_that_is_cut_too_long_or_no_json_is_a_broken_conversation() {
    for answer in [
        Vec::new(),
        b"{\"jsonrpc\":".to_vec(),
        b"nonsense\n".to_vec(),
        vec![b'x'; MAX_FRAME_BYTES + 10],
        b"\xff\n".to_vec(),
    ] {
        assert_eq!(against(answer).0.code, ErrorCode::Unreachable);
    }
}

#[test]
fn the_daemons_own_refusal_comes_through_with_its_hint() {
    let answer = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"m","data":{"code":"not-permitted","message":"m","hint":"h"}}}"#;
    let error = against(format!("{answer}\n").into_bytes());
    assert_eq!((error.0.code, error.0.hint.as_deref()), (ErrorCode::NotPermitted, Some("h")));
    assert_eq!(error.exit().code(), 6);
}

#[test]
fn without_a_daemon_the_socket_is_unreachable_and_nothing_is_started_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let places = Places::inside(folder.path().into());
    let error = Connection::open(&places, Via::Cli, OnDemand::Leave).expect_err("nobody there");
    assert_eq!(error.exit().code(), 7);
}

#[test]
fn a_change_whose_answer_was_lost_is_asked_again_with_the_same_key() {
    use goald_schema::protocol::clear::{Clear, ClearParams};
    use goald_schema::protocol::target::Target;
    let folder = tempfile::tempdir().expect("a folder");
    let places = Places::inside(folder.path().into());
    let listener = UnixListener::bind(&places.socket).expect("bound");
    let daemon = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for answer in [
            None,
            Some(
                r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"m","data":{"code":"no-goal","message":"m"}}}"#,
            ),
        ] {
            let (stream, _) = listener.accept().expect("accepted");
            let mut reader = BufReader::new(stream.try_clone().expect("cloned"));
            let mut writer = stream;
            let mut line = String::new();
            reader.read_line(&mut line).expect("greeted");
            let hello = r#"{"jsonrpc":"2.0","id":1,"result":{"version":1,"daemon":"0","actor":{"kind":"human"}}}"#;
            writer.write_all(format!("{hello}\n").as_bytes()).expect("answered");
            line.clear();
            reader.read_line(&mut line).expect("asked");
            asked.push(line);
            if let Some(answer) = answer {
                writer.write_all(format!("{answer}\n").as_bytes()).expect("answered");
            }
        }
        asked
    });
    let mut connection = Connection::open(&places, Via::Cli, OnDemand::Leave).expect("greeted");
    let params = ClearParams { target: Target::Token {}, reference: None, idempotency_key: Some("k".to_owned()) };
    let answer = connection.change::<Clear>(&params).expect_err("the second answer");
    assert_eq!(answer.0.code, ErrorCode::NoGoal);
    let asked = daemon.join().expect("ended");
    assert!(asked[0] == asked[1] && asked[0].contains("\"idempotencyKey\":\"k\""), "{asked:?}");
}
