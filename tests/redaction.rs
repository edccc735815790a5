//! Keys never reach what is kept: the whole way from an agent's mouth to the files of the state folder.

use crate::harness::{World, finished};
use std::path::Path;

/// Made up, and put together here so that no scanner of sources takes it for a real one.
fn key() -> String {
    ["sk-ant-api03-", "Ab3dEfGh1JkLmN0pQrStUvWxYz2456789aBcDeFgHiJk"].concat()
}

/// Every file below the home but the configuration, that holds the text.
pub fn files_with(world: &World, text: &str) -> Vec<String> {
    fn walk(folder: &Path, text: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, text, found);
            } else if path.is_file() && !path.ends_with("config.toml") {
                // Looked for are plain letters, and those stay what they are.
                if String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(text) {
                    found.push(path.display().to_string());
                }
            }
        }
    }
    let mut found = Vec::new();
    walk(&world.home(), text, &mut found);
    found
}

/// Prints its key, its token and its whole environment, in every way it can.
const TELL: &str = r#"cat > /dev/null; printf '%s' "$GOALD_TOKEN" > token.txt
echo "the key is $ANTHROPIC_API_KEY and the token $GOALD_TOKEN"; env; env >&2
head -c 20 key.txt; echo between >&2; tail -c +21 key.txt; echo
printf '{"type":"warning","message":"my key\\n%s"}\n' "$ANTHROPIC_API_KEY"
printf '{"type":"text","text":"I used\\n%s and %s"}\n' "$ANTHROPIC_API_KEY" "$GOALD_TOKEN"
"$GOALD_BIN" agent blocked --reason "no access with $ANTHROPIC_API_KEY" > /dev/null 2>&1
"$GOALD_BIN" agent complete --summary "done with $ANTHROPIC_API_KEY, $GOALD_TOKEN" > /dev/null
"#;

#[test]
fn nothing_of_a_key_or_token_that_an_agent_prints_is_kept_or_shown() {
    for (output, end) in [
        ("text", "echo \"last words: $ANTHROPIC_API_KEY\""),
        ("json-lines", r#"printf '{"type":"end","result":"completed","text":"with %s"}\n' "$ANTHROPIC_API_KEY""#),
        ("json-lines", r#"printf '{"type":"end","result":"failed","message":"bad key %s"}\n' "$ANTHROPIC_API_KEY""#),
        ("json-lines", "echo \"it broke: $ANTHROPIC_API_KEY\" >&2; exit 3"),
    ] {
        let world = World::new();
        let script = world.script("agent.sh", &format!("{TELL}{end}"));
        world.file("key.txt", &key());
        world.config(&format!(
            "retryBase = '10ms'\nmaxAttempts = 2\n[agents.a]\nkind = 'command'\ncommand = ['{}']\noutput = '{output}'\n",
            script.display()
        ));
        // The second round's prompt carries what the check printed.
        let check = "env; echo key: $ANTHROPIC_API_KEY; [ -e seen ] || { touch seen; exit 1; }";
        let mut run = world.command(&["run", "--max-rounds", "2", "--check", check, "x"]);
        let ran = finished(run.env("ANTHROPIC_API_KEY", key()).output().unwrap());
        assert!(ran.code == 0 || ran.code == 3, "{ran:?}");
        let token = world.read("token.txt");
        assert!(token.len() > 60, "{token:?}");
        let shown: String =
            [&["output"][..], &["log", "--json"], &["rounds", "--json"], &["rounds", "1"], &["status", "--json"]]
                .iter()
                .map(|verb| world.goal(verb).exits(0))
                .collect();
        let printed = world.goal(&["output", "1"]).exits(0);
        for expected in [
            "the key is [redacted: anthropic-key] and the token [redacted: goald-token]",
            "GOALD_TOKEN=[redacted: goald-token]",
        ] {
            assert!(printed.contains(expected), "{printed}");
        }
        for secret in [key(), token] {
            assert_eq!(files_with(&world, &secret), Vec::<String>::new(), "{output}: {end}");
            assert_eq!(files_with(&world, &secret[20..]), Vec::<String>::new(), "not a part of it either");
            let said = [&shown, &printed, &ran.stdout, &ran.stderr];
            assert!(said.iter().all(|text| !text.contains(&secret)), "{shown}");
        }
        assert!(files_with(&world, "[redacted: anthropic-key]").len() >= 2, "the output and the log say so");
    }
}

#[test]
fn a_prompt_reaches_the_agent_as_it_is_and_is_kept_without_keys_and_the_person_is_warned() {
    let world = World::new();
    world.script("agent.sh", "cat > prompt.txt");
    let objective = format!("use {} for the call", key());
    let created = world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", &objective]);
    assert!(created.stderr.contains("warning: the objective looks as if it held a key"), "{created:?}");
    assert!(world.read("prompt.txt").contains(&key()), "the agent gets what the person wrote");
    assert_eq!(world.status()["goal"]["objective"], objective.as_str(), "kept as given");
    let store = rusqlite::Connection::open(world.home().join("goald.db")).unwrap();
    let prompt: String = store
        .query_row(
            "SELECT CAST(bytes AS TEXT) FROM blobs WHERE bytes LIKE '%Round 1%' OR bytes LIKE '%round 1%'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(prompt.contains("use [redacted: anthropic-key] for the call") && !prompt.contains(&key()), "{prompt}");
    for verb in [
        &["edit", "--objective", &objective[..], "--json"][..],
        &["say", &objective, "--json"],
        &["edit", "--check", &format!("curl -H 'x-api-key: {}'", key()), "--json"],
    ] {
        let changed = world.goal(verb).json(0);
        let warnings = changed["warnings"].to_string();
        assert!(warnings.contains("looks as if it held a key") && !warnings.contains(&key()), "{changed}");
    }
    let plain = world.goal(&["edit", "--objective", "something else", "--json"]).json(0);
    assert!(plain.get("warnings").is_none(), "{plain}");
}
