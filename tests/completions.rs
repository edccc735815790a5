//! Completion scripts: made without a daemon, and of use to the shell they are for.

use crate::harness::{World, finished};
use std::process::Command;

#[test]
fn every_shell_gets_a_script_that_names_every_verb_and_no_daemon_is_started() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = world.goal(&["completions", shell]).exits(0);
        for verb in ["status", "create", "resume", "completions", "daemon", "max-rounds"] {
            assert!(script.contains(verb), "{shell} completes {verb}");
        }
        assert_eq!(world.goal(&["completions", shell, "--json"]).json(0), script, "{shell}");
    }
    assert!(world.goal(&["completions", "tcsh"]).exits(2).is_empty());
    world.goal(&["daemon", "status"]).exits(7);
}

#[test]
fn bash_accepts_its_script_and_completes_verbs_nested_verbs_and_flags() {
    let world = World::new();
    let script = world.goal(&["completions", "bash"]).exits(0);
    let path = world.file("goal.bash", &script);
    let bash = |args: &[&str]| finished(Command::new("bash").args(args).output().expect("bash is there"));
    let path = path.to_str().expect("UTF-8");
    assert_eq!(bash(&["-n", path]).exits(0), "");
    for (line, wanted) in [
        ("goal comp", "complete completions"),
        ("goal resu", "resume"),
        ("goal daemon res", "restart"),
        ("goal create --max", "--max-rounds"),
        ("goal completions fi", "fish"),
    ] {
        // As readline asks: the words so far, the last of them being the one that is completed.
        let ask = r#"source "$1"; read -ra COMP_WORDS <<< "$2"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _goal goal "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; echo "${COMPREPLY[*]}""#;
        assert_eq!(bash(&["--norc", "-c", ask, "bash", path, line]).exits(0).trim_end(), wanted, "{line}");
    }
}
