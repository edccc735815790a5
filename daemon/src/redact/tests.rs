//! What goes and what stays; and that it makes no difference where a text is cut.

use super::{Redactor, bytes, is_in, text, warnings};

/// Keys of every kind, made up, put together here so that no scanner of sources takes them for real ones.
fn keys() -> Vec<(&'static str, String)> {
    let letters = "Ab3dEfGh1JkLmN0pQrStUvWxYz2456789aBcDeFgHiJkLmNoPqRsTuV";
    let of = |prefix: &str, length: usize| format!("{prefix}{}", &letters[..length]);
    vec![
        ("goald-token", format!("goald_{}", "0123456789abcdef".repeat(4))),
        ("anthropic-key", of("sk-ant-api03-", 40)),
        ("openai-key", of("sk-", 48)),
        ("openai-key", of("sk-proj-", 50)),
        ("openai-key", format!("sk-{}", "0123456789abcdef".repeat(2))),
        ("openrouter-key", of("sk-or-v1-", 50)),
        ("github-token", of("ghp_", 36)),
        ("github-token", of("gho_", 36)),
        ("github-token", of("ghs_", 36)),
        ("github-token", of("github_pat_11", 50)),
        ("gitlab-token", of("glpat-", 20)),
        ("aws-key", "AKIAIOSFODNN7EXAMPLE".to_owned()),
        ("aws-key", "ASIAIOSFODNN7EXAMPLE".to_owned()),
        ("google-key", of("AIza", 35)),
        ("google-token", of("ya29.", 50)),
        ("slack-token", format!("xoxb-123456789012-123456789012-{}", &letters[..24])),
        ("stripe-key", of("sk_live_", 24)),
        ("npm-token", of("npm_", 36)),
        ("hugging-face-token", of("hf_", 34)),
        ("groq-key", of("gsk_", 52)),
    ]
}

const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

fn pem(end: &str) -> String {
    let body = "MIIEowIBAAKCAQEA1c7+9z5Pad7OejecsQ0buoZ1c7+9z5Pad7OejecsQ0bu/0==";
    ["-----BEGIN RSA PRIVATE KEY-----", body, body, "-----END RSA PRIVATE KEY-----"].join(end)
}

#[test]
fn keys_of_every_kind_go_wherever_a_word_can_begin() {
    for (kind, key) in keys() {
        for (before, after) in [
            ("", ""),
            ("the key is ", ", keep it"),
            ("\"", "\""),
            ("{\"text\":\"it is:\\n", "\\nand so on\"}"),
            ("https://user:", "@example.com/repository.git"),
            ("\u{1b}[1;32m", "\u{1b}[0m"),
            ("\n", "\n"),
            ("key=", " next"),
            ("é", "é"),
        ] {
            let redacted = text(&format!("{before}{key}{after}"));
            assert_eq!(redacted, format!("{before}[redacted: {kind}]{after}"), "{key}");
        }
        assert!(is_in(&key));
    }
}

#[test]
fn a_token_of_three_parts_keeps_its_header_alone() {
    assert_eq!(text(&format!("cookie: {JWT}; x")), "cookie: eyJhbGciOiJIUzI1NiJ9[redacted: jwt]; x");
}

#[test]
fn a_bearer_token_goes_and_the_word_stays() {
    for (given, expected) in [
        ("Authorization: Bearer abc123DEF456ghi789JKL0== end", "Authorization: Bearer [redacted: bearer-token] end"),
        ("-H 'authorization: bearer abc.123-DEF_456ghi789JK'", "-H 'authorization: bearer [redacted: bearer-token]'"),
    ] {
        assert_eq!(text(given), expected);
    }
}

#[test]
fn a_private_key_goes_from_its_first_line_to_its_last() {
    for end in ["\n", "\r\n", "\\n", "\\r\\n"] {
        let given = format!("before{end}{}{end}after", pem(end));
        assert_eq!(text(&given), format!("before{end}[redacted: private-key]{end}after"));
    }
}

#[test]
fn a_private_key_without_an_end_takes_no_quote_and_no_more_than_its_bound_with_it() {
    let open = "{\"text\":\"-----BEGIN PRIVATE KEY-----\\nMIIEow\"}";
    assert_eq!(text(open), "{\"text\":\"[redacted: private-key]\"}");
    let escaped = "\"-----BEGIN PRIVATE KEY-----\\nMIIEow\\\"\"";
    assert_eq!(text(escaped), "\"[redacted: private-key]\\\"\"");
    let endless = format!("-----BEGIN PRIVATE KEY-----{}", "x".repeat(100_000));
    assert!(text(&endless).len() > 80_000, "what follows is shown again");
}

#[test]
fn what_a_name_gives_away_goes_and_the_name_stays() {
    for (name, value, after) in [
        ("AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "\n"),
        ("aws_secret_access_key = ", "wJalrXUtnFEMI/KXMDENG/bPxRfiCYEXAMPLEKEY", "\n"),
        ("\"secretAccessKey\": \"", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "\","),
        ("DB_PASSWORD=", "hunter2hunter2", "\nHOME=/root"),
        ("export MY_API_KEY=\"", "abcdefgh1", "\""),
        ("{\\\"api_key\\\":\\\"", "0123456789abcdef0123", "\\\"}"),
        ("clientSecret: '", "a8Q1zz93kkLmQ0pp", "'"),
        ("SLACK_TOKEN_V2=", "abc12345", " x"),
    ] {
        assert_eq!(text(&format!("{name}{value}{after}")), format!("{name}[redacted: secret]{after}"));
    }
    let specific = format!("ANTHROPIC_API_KEY={}\n", keys()[1].1);
    assert_eq!(text(&specific), "ANTHROPIC_API_KEY=[redacted: anthropic-key]\n", "the better name of two");
}

#[test]
fn what_only_resembles_a_key_stays() {
    for same in [
        "pip install sk-learn and sk-learn-contrib-something-very-long-indeed-2",
        "ask-me, task-0123456789abcdef0123456789abcdef, disk-abcdefghijklmnopqrstuvwxyz0123456789",
        "commit 60261ad0f3c5b1a2d4e6f8091a2b3c4d5e6f7081",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "01989c1e-7f3a-7cc2-b1d4-0a1b2c3d4e5f",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "the github_pat_ prefix, ghp_ and sk-ant- begin keys; AKIA too, and AIza",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIDdzCCAl+gAwIBAgIE\n-----END PUBLIC KEY-----",
        "{\"type\":\"usage\",\"input_tokens\":123456789012345678,\"outputTokens\":4}",
        "max_tokens = 4096, MAX_TOKENS=100000000, TOKEN_LIMIT=200000000",
        "let token = generate_the_token_from_environment();",
        "password: String, api_key: Option<SecretString>, secret = os.environ.get",
        "SSH_KEY_SECRET_FILE=/run/secrets/key1, TOKEN=$GITHUB_TOKEN, PASSWORD=<your password 1>",
        "Bearer authentication is described in chapter 12",
        "AKIAIOSFODNN7EXAMPLEandmore, XAKIAIOSFODNN7EXAMPLE",
        "hf_hub_download(npm_config_registry)",
        "a.eyJ, x.eyJustNow",
        "",
    ] {
        assert_eq!(text(same), same);
        assert!(!is_in(same));
    }
}

#[test]
fn what_is_redacted_is_not_redacted_again() {
    let lines = keys().into_iter().map(|(_, key)| format!("A_TOKEN={key}\nBearer {key}\n"));
    let all = lines.chain([pem("\n")]).collect::<Vec<_>>().concat();
    let once = text(&all);
    assert_eq!(text(&once), once);
}

#[test]
fn it_makes_no_difference_where_a_text_is_cut() {
    let lines = keys().into_iter().map(|(_, key)| format!("x {key}, \"{key}\" é TOKEN={key}\n"));
    let long = format!("{JWT} {} and {}\nBearer {JWT}\n", pem("\n"), pem("\\n"));
    let begun = "DB_PASSWORD=hunter2hunter2 s sk- sk-a -----BEGIN -----BEGIN X\\".to_owned();
    let all = lines.chain([long, begun]).collect::<Vec<_>>().concat();
    let whole = bytes(all.as_bytes());
    for size in [1, 2, 3, 7, 16, 64, 257] {
        let (mut out, mut redactor) = (Vec::new(), Redactor::default());
        for piece in all.as_bytes().chunks(size) {
            redactor.push(piece, &mut out);
        }
        redactor.finish(&mut out);
        assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&whole), "pieces of {size}");
    }
    // Line by line, so that every place is tried; but for the private key, whose lines belong together.
    let (one_line, several) = all.split_once("eyJ").expect("the long ones");
    for text in one_line.split_inclusive('\n').chain([several]) {
        let whole = bytes(text.as_bytes());
        for cut in 0..text.len() {
            let (head, tail) = text.as_bytes().split_at(cut);
            let (mut out, mut redactor) = (Vec::new(), Redactor::default());
            redactor.push(head, &mut out);
            redactor.push(tail, &mut out);
            redactor.finish(&mut out);
            assert_eq!(out, whole, "{text} cut at {cut}");
        }
    }
}

/// Pieces of keys and of what stands around them, in an order that dice decide.
fn jumble(seed: u64) -> String {
    let around = [
        " ",
        "=",
        ": ",
        "\"",
        "\\n",
        "\\",
        "\n",
        "-----",
        "END ",
        "PRIVATE KEY",
        "RSA ",
        ".",
        "é",
        "m",
        "[1;32m",
        "a",
        "7",
        "Ab3dEfGh1JkLmN0p",
        "0123456789abcdef",
        "eyJhbGciOiJI",
        "_V2",
        "s",
        "/",
        "$",
    ];
    let mut dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut roll = |sides: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        usize::try_from(dice >> 33).expect("31 bits") % sides
    };
    let piece = |roll: &mut dyn FnMut(usize) -> usize| match roll(3) {
        0 => super::shape::SHAPES[roll(super::shape::SHAPES.len())].prefix,
        _ => around[roll(around.len())],
    };
    (0..60).map(|_| piece(&mut roll)).collect()
}

#[test]
fn whatever_is_printed_comes_out_the_same_in_any_pieces_and_nothing_else_is_lost() {
    for seed in 1..400 {
        let given = jumble(seed);
        let whole = text(&given);
        for size in [1, 5, 31] {
            let (mut out, mut redactor) = (Vec::new(), Redactor::default());
            for piece in given.as_bytes().chunks(size) {
                redactor.push(piece, &mut out);
            }
            redactor.finish(&mut out);
            assert_eq!(String::from_utf8_lossy(&out), whole, "{given:?} in pieces of {size}");
        }
        // What stands between the marks stands in what was given, in this order.
        let mut rest = given.as_str();
        for kept in whole.split("[redacted: ").map(|part| part.split_once(']').map_or(part, |(_, after)| after)) {
            let at = rest.find(kept).unwrap_or_else(|| panic!("{kept:?} of {whole:?} is not in {given:?}"));
            rest = &rest[at + kept.len()..];
        }
    }
}

#[test]
fn a_line_of_json_stays_one() {
    let texts =
        keys().into_iter().map(|(_, key)| key).chain([JWT.to_owned(), pem("\n"), "A_TOKEN=\"abc12345\"".to_owned()]);
    for given in texts {
        let line = serde_json::json!({"text": format!("a \"b\"\n{given}\n\\ c"), "n": 1}).to_string();
        let kept: serde_json::Value = serde_json::from_str(&text(&line)).expect("still JSON");
        let words = kept["text"].as_str().expect("still a text");
        assert!(words.starts_with("a \"b\"\n") && words.ends_with("\n\\ c") && words.contains("[redacted: "), "{kept}");
        assert_eq!(kept["n"], 1);
    }
}

#[test]
fn no_prefix_is_longer_than_what_is_held_back_for_one() {
    assert!(super::shape::SHAPES.iter().all(|shape| shape.prefix.len() <= super::stream::LONGEST_PREFIX));
}

#[test]
fn output_without_an_end_of_line_goes_on_at_once_and_little_is_held_back() {
    for piece in ["Working...", "Password: ", "the token: \"", "Authorization: Bearer ", "50% ", "y/n?", ".", "ünïcödé"]
    {
        let (mut out, mut redactor) = (Vec::new(), Redactor::default());
        redactor.push(piece.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), piece);
    }
    for piece in ["token", "sk-ant-a", "x", "sk-", "secret = ", "-----BEGIN ", "a.eyJ"] {
        let (mut out, mut redactor) = (Vec::new(), Redactor::default());
        let text = piece.repeat(10_000);
        redactor.push(text.as_bytes(), &mut out);
        assert!(out.len() + super::stream::HELD >= text.len(), "{piece}: {} of {}", out.len(), text.len());
    }
}

#[test]
fn who_writes_a_key_is_warned_once_and_told_what_holds_it() {
    let key = keys()[1].1.clone();
    let told = warnings([("the objective", key.as_str()), ("a check", "true"), ("a check", &key), ("a check", &key)]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("the objective looks") && told[1].starts_with("a check looks"), "{told:?}");
    assert!(!told.concat().contains(&key));
}
