//! From what a person names as agent to a frozen profile with an absolute program.

use crate::config::{AgentConfig, Config};
use goald_schema::agent::{Adapter, AgentProfile, OutputFormat};
use goald_schema::protocol::target::Caller;
use goald_schema::{ErrorCode, WireError};
use nix::unistd::{AccessFlags, access};
use std::path::{Path, PathBuf};

/// The profile that is meant: one of the configuration by name, else a path or command line, else the default.
///
/// # Errors
/// `unknown-agent`, with what to do.
pub fn resolve(
    wanted: Option<&str>,
    config: &Config,
    config_file: &Path,
    caller: &Caller,
) -> Result<AgentProfile, WireError> {
    let only = || (config.agents.len() == 1).then(|| config.agents.keys().next()).flatten();
    let name = wanted.or(config.default_agent.as_deref()).or_else(|| only().map(String::as_str));
    let Some(name) = name else {
        return Err(WireError::new(ErrorCode::UnknownAgent, "no agent is named and none is configured")
            .hint(format!("use --agent ./my-agent.sh, or set defaultAgent in {}", config_file.display())));
    };
    if let Some(AgentConfig::Command { command, output }) = config.agents.get(name) {
        let folder = config_file.parent().unwrap_or(Path::new("/"));
        return profile(name, command, folder, caller, *output);
    }
    let words = shlex::split(name).unwrap_or_default();
    let straight = words.len() > 1 || words.first().is_some_and(|word| word.contains('/'));
    if !straight {
        let known: Vec<&str> = config.agents.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(WireError::new(ErrorCode::UnknownAgent, format!("no agent {name:?} is configured ({known})"))
            .hint("name one of those, or a program with its path: --agent ./my-agent.sh"));
    }
    profile(name, &words, Path::new(&caller.cwd), caller, OutputFormat::Text)
}

fn profile(
    name: &str,
    command: &[String],
    folder: &Path,
    caller: &Caller,
    output: OutputFormat,
) -> Result<AgentProfile, WireError> {
    let Some((program, args)) = command.split_first() else {
        return Err(WireError::new(ErrorCode::UnknownAgent, format!("agent {name:?} has an empty command")));
    };
    let path = find(program, folder, caller).ok_or_else(|| {
        WireError::new(ErrorCode::UnknownAgent, format!("agent {name:?}: {program} is no program that can be run"))
            .hint("check the path, and that the file is executable (chmod +x)")
    })?;
    let program = path.to_str().map(str::to_owned).ok_or_else(|| {
        WireError::new(ErrorCode::UnknownAgent, format!("agent {name:?}: the program's path is not UTF-8"))
    })?;
    Ok(AgentProfile { name: name.to_owned(), adapter: Adapter::Command { program, args: args.to_vec(), output } })
}

/// The absolute path of a program: relative to a folder where it has a slash, else searched in the caller's `PATH`.
fn find(program: &str, folder: &Path, caller: &Caller) -> Option<PathBuf> {
    if program.contains('/') {
        let path = std::path::absolute(folder.join(program)).ok()?;
        return runs(&path).then_some(path);
    }
    let path = caller.environment.0.get("PATH")?;
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|candidate| runs(candidate))
}

fn runs(path: &Path) -> bool {
    path.is_file() && access(path, AccessFlags::X_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn place() -> (tempfile::TempDir, Caller) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, mode) in [("agent.sh", 0o755), ("text.txt", 0o644)] {
            let path = folder.path().join(name);
            std::fs::write(&path, "#!/bin/sh\n").expect("written");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
        }
        let mut caller = Caller { cwd: folder.path().to_str().expect("UTF-8").to_owned(), ..Caller::default() };
        caller.environment.0.insert("PATH".to_owned(), caller.cwd.clone());
        (folder, caller)
    }

    fn resolved(wanted: Option<&str>, config: &str) -> Result<AgentProfile, WireError> {
        let (folder, caller) = place();
        let config: Config = toml::from_str(config).expect("reads");
        resolve(wanted, &config, &folder.path().join("config.toml"), &caller)
    }

    #[test]
    fn a_path_is_taken_relative_to_the_callers_folder() {
        let Adapter::Command { program, args, .. } = resolved(Some("./agent.sh -v"), "").expect("found").adapter;
        assert!(Path::new(&program).is_absolute() && program.ends_with("agent.sh"), "{program}");
        assert_eq!(args, ["-v"]);
    }

    #[test]
    fn a_missing_program_and_one_that_is_not_executable_are_refused() {
        for name in ["./nothing.sh", "./text.txt"] {
            assert_eq!(resolved(Some(name), "").expect_err(name).code, ErrorCode::UnknownAgent);
        }
    }

    #[test]
    fn the_only_configured_agent_is_the_default_and_bare_names_come_from_path() {
        let config = "[agents.w]\nkind = 'command'\ncommand = ['agent.sh']\n";
        assert_eq!(resolved(None, config).expect("found").name, "w");
        assert_eq!(resolved(Some("x"), config).expect_err("unknown").code, ErrorCode::UnknownAgent);
    }

    #[test]
    fn without_any_agent_the_error_says_what_to_do() {
        let error = resolved(None, "").expect_err("none");
        assert!(error.hint.expect("a hint").contains("--agent"), "says how");
    }
}
