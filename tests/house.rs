//! House rules: layers, sizes, and documents that say what the code says.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every Rust file below a folder, with its text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "{folder} has sources");
    found
}

/// The goald crates that a manifest depends on.
fn depends(manifest: &str) -> Vec<String> {
    let manifest: toml::Table = read(manifest).parse().unwrap();
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let mut crates: Vec<String> = tables
        .iter()
        .filter_map(|table| manifest.get(*table)?.as_table())
        .flat_map(|table| table.keys().filter(|name| name.starts_with("goald")).cloned())
        .collect();
    crates.sort();
    crates.dedup();
    crates
}

#[test]
fn the_layers_are_schema_core_daemon_cli_and_never_back() {
    assert!(depends("schema/Cargo.toml").is_empty());
    assert_eq!(depends("daemon/core/Cargo.toml"), ["goald-schema"]);
    assert_eq!(depends("daemon/Cargo.toml"), ["goald-core", "goald-schema"]);
    assert_eq!(depends("cli/Cargo.toml"), ["goald-daemon", "goald-schema"]);
    for (path, text) in sources("cli/src") {
        assert!(
            path.ends_with("cli/src/main.rs") || !text.contains("goald_daemon"),
            "{} names the daemon",
            path.display()
        );
        assert!(!text.contains("goald_core"), "{} names the core", path.display());
    }
}

#[test]
fn schema_and_core_reach_for_no_effect_and_no_clock() {
    let forbidden = [
        "tokio",
        "rusqlite",
        "std::fs",
        "std::process",
        "std::net",
        "std::env",
        "std::thread",
        "SystemTime",
        "Instant::now",
        "Utc::now",
        "Local::now",
        "println!",
    ];
    for folder in ["schema/src", "daemon/core/src"] {
        for (path, text) in sources(folder) {
            for word in forbidden {
                let used = text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(word));
                assert!(!used, "{} reaches for {word}", path.display());
            }
        }
    }
}

#[test]
fn files_stay_small_enough_to_read_in_one_sitting() {
    let mut sizes: Vec<(usize, PathBuf)> = ["schema", "daemon", "cli", "tests"]
        .iter()
        .flat_map(|folder| sources(folder))
        .map(|(path, text)| (text.lines().count(), path))
        .collect();
    sizes.sort();
    let (largest, path) = sizes.last().unwrap();
    assert!(*largest <= 600, "{} has {largest} lines", path.display());
    let median = sizes[sizes.len() / 2].0;
    assert!(median < 150, "the median is {median} lines");
}

#[test]
fn lints_are_expected_with_a_reason_and_never_allowed() {
    for folder in ["schema/src", "daemon", "cli/src"] {
        for (path, text) in sources(folder) {
            let allowed = text
                .lines()
                .any(|line| line.trim_start().starts_with("#[allow(") || line.trim_start().starts_with("#![allow("));
            assert!(!allowed, "{} allows a lint", path.display());
        }
    }
}

/// The headings ``### `code` `` below a heading of the second level.
fn headings(text: &str, part: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            inside = heading == part;
        } else if let (true, Some(heading)) = (inside, line.strip_prefix("### `")) {
            found.push(heading.trim_end_matches('`').to_owned());
        }
    }
    found
}

#[test]
fn every_code_has_its_section_in_docs_codes() {
    let text = read("docs/codes.md");
    let reasons: Vec<String> = goald_schema::reason::Known::ALL.iter().map(|code| code.as_str().to_owned()).collect();
    let errors: Vec<String> = goald_schema::ErrorCode::ALL.iter().map(|code| code.as_str().to_owned()).collect();
    assert_eq!(headings(&text, "Reason codes"), reasons);
    assert_eq!(headings(&text, "Error codes"), errors);
    let found: Vec<&str> = goald_schema::doctor::FindingCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(headings(&text, "Doctor codes"), found);
}

#[test]
fn every_event_type_has_its_section_in_docs_events() {
    let text = read("docs/events.md");
    let found: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("### `")).map(|line| line.trim_end_matches('`')).collect();
    assert_eq!(found, goald_schema::Event::TYPES);
}

#[test]
fn every_document_that_the_code_cites_is_there() {
    for folder in ["schema/src", "daemon", "cli/src"] {
        for (path, text) in sources(folder) {
            for (cited, rest) in text.split("`docs/").skip(1).filter_map(|rest| rest.split_once('`')) {
                let document = std::fs::read_to_string(root().join("docs").join(cited));
                let document = document.unwrap_or_else(|_| panic!("{} cites docs/{cited}", path.display()));
                if let Some((part, _)) = rest.strip_prefix(", \"").and_then(|rest| rest.split_once('"')) {
                    let there = document.lines().any(|line| line.strip_prefix("## ") == Some(part));
                    assert!(there, "{} cites \"{part}\" of docs/{cited}", path.display());
                }
            }
        }
    }
}

#[test]
fn the_example_agents_and_configuration_work_as_they_are() {
    let world = crate::harness::World::new();
    std::fs::create_dir_all(world.home()).unwrap();
    for name in ["shell-agent.sh", "json-agent.sh", "config.toml"] {
        std::fs::copy(root().join("examples").join(name), world.home().join(name)).unwrap();
    }
    world.goal(&["run", "--check", "test -s notes.txt", "notes.txt is not empty"]).exits(0);
    world.goal(&["run", "--agent", "json", "--check", "grep -q worked notes.txt", "it says worked"]).exits(0);
    let usage = &world.status()["goal"]["usage"];
    assert_eq!((usage["inputTokens"].as_u64(), usage["costMicroUsd"].as_u64()), (Some(1_200), Some(2_500)));
}

#[test]
fn the_first_goal_of_the_readme_works_as_it_is_printed() {
    let world = crate::harness::World::new();
    let readme = read("README.md");
    let block = readme.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_goal")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-euc", block]).env("PATH", path).env("HOME", world.work()).env("GOALD_HOME", world.home());
    let said = crate::harness::finished(shell.current_dir(world.work()).output().unwrap()).exits(0);
    assert!(said.contains("complete (verified)") && said.contains("round 3 of 256"), "{said}");
}

#[test]
fn the_documented_configuration_keys_are_the_ones_there_are() {
    let operations = read("docs/operations.md");
    let documented: Vec<&str> = operations
        .lines()
        .skip_while(|line| *line != "## Configuration")
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let world = crate::harness::World::new();
    world.config("frobnicate = 1");
    world.script("agent.sh", "true");
    let refused = world.goal(&["create", "--agent", "./agent.sh", "x"]);
    let known = refused.stderr.split("expected one of ").nth(1).unwrap_or_else(|| panic!("{refused:?}"));
    let known: Vec<&str> = known
        .split('`')
        .skip(1)
        .step_by(2)
        .take(documented.len() + 3)
        .filter(|word| word.chars().all(char::is_alphanumeric))
        .collect();
    assert_eq!(known, documented);
}

#[test]
fn the_exercise_with_caps_says_which_phase_and_which_round() {
    let world = crate::harness::World::new();
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_goal")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.arg(root().join("examples/caps.sh")).env("PATH", path).env("GOALD_HOME", world.home()).env("NO_COLOR", "1");
    let said = crate::harness::finished(shell.env("TMPDIR", world.work()).output().unwrap()).exits(0);
    let lines: Vec<&str> = said.lines().collect();
    for (line, start) in lines.iter().zip([
        "a cap of 5: complete (verified) · round 3 of 5 ·",
        "a cap of 1: blocked · stopped · round 1 of 1 ·",
        "never reported, a cap of 4: blocked · stopped · round 4 of 4 ·",
    ]) {
        assert!(line.starts_with(start), "{said}");
    }
    assert_eq!(lines.len(), 3, "{said}");
}

#[test]
fn fuzz_targets_are_outside_the_build_and_each_has_seeds_words_and_a_line_in_its_readme() {
    let workspace: toml::Table = read("Cargo.toml").parse().unwrap();
    assert_eq!(workspace["workspace"]["exclude"].as_array().unwrap(), &[toml::Value::from("fuzz")]);
    for manifest in ["Cargo.toml", "schema/Cargo.toml", "daemon/core/Cargo.toml", "daemon/Cargo.toml", "cli/Cargo.toml"]
    {
        let text = read(manifest);
        let named: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && line.contains("fuzzing")).collect();
        assert!(named.iter().all(|line| *line == "fuzzing = []"), "{manifest} turns it on: {named:?}");
    }
    let manifest: toml::Table = read("fuzz/Cargo.toml").parse().unwrap();
    let readme = read("fuzz/README.md");
    let targets = manifest["bin"].as_array().unwrap();
    assert_eq!(targets.len(), std::fs::read_dir(root().join("fuzz/targets")).unwrap().count());
    for target in targets {
        let name = target["name"].as_str().unwrap();
        assert_eq!(target["path"].as_str(), Some(format!("targets/{name}.rs").as_str()));
        assert!(readme.contains(&format!("\n| `{name}` |")), "fuzz/README.md says what {name} asks");
        assert!(root().join(format!("fuzz/words/{name}.dict")).is_file(), "{name} has words");
        assert!(std::fs::read_dir(root().join("fuzz/seeds").join(name)).unwrap().count() > 2, "{name} has seeds");
    }
}
