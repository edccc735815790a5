use super::*;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};

/// A home whose state folder has a path of more than 200 bytes, with a runtime and a temporary folder beside it.
fn long(folder: &Path) -> Home {
    let state = folder.join("s".repeat(200));
    for path in [&state, &folder.join("run"), &folder.join("tmp")] {
        private_file::folder(path).expect("made");
    }
    Home {
        config: state.join("config.toml"),
        socket: state.join(socket::NAME),
        state,
        program: PathBuf::new(),
        guard: PathBuf::new(),
        runtime: Some(folder.join("run")),
        temporary: folder.join("tmp"),
    }
}

fn shared(folder: &Path) -> PathBuf {
    folder.join("tmp").join(format!("goald-{}", nix::unistd::geteuid()))
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
}

#[test]
fn a_long_path_gets_a_short_one_in_the_runtime_folder_and_it_is_recorded() {
    let folder = tempfile::tempdir().expect("folder");
    let home = long(folder.path());
    let chosen = settle(&home).expect("settled");
    assert_eq!(chosen.parent(), Some(folder.path().join("run/goald").as_path()));
    assert!(socket::fits(&chosen));
    assert_eq!(recorded(&home), chosen);
    assert_eq!(std::fs::metadata(home.socket_record()).expect("there").mode() & 0o777, 0o600);
    forget(&home).expect("forgotten");
    assert_eq!(recorded(&home), home.socket);
}

#[test]
fn two_state_folders_get_two_sockets_and_one_always_the_same() {
    let (one, other) = (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"));
    let first = long(one.path());
    let second = Home { runtime: first.runtime.clone(), ..long(other.path()) };
    let chosen = settle(&first).expect("settled");
    assert_ne!(settle(&second).expect("settled"), chosen);
    assert_eq!(settle(&first).expect("settled"), chosen);
}

#[test]
fn a_path_that_fits_is_kept_and_an_old_record_of_another_is_taken_away() {
    let folder = tempfile::tempdir().expect("folder");
    let mut home = long(folder.path());
    settle(&home).expect("settled");
    home.state = folder.path().join("state");
    home.socket = home.state.join(socket::NAME);
    private_file::write(&home.socket_record(), b"/elsewhere").expect("written");
    assert_eq!(settle(&home).expect("settled"), home.socket);
    assert_eq!((home.socket_record().exists(), recorded(&home)), (false, home.socket.clone()));
    home.socket = folder.path().join("told");
    assert_eq!((settle(&home).expect("settled"), recorded(&home)), (home.socket.clone(), home.socket.clone()));
}

#[test]
fn a_runtime_folder_that_others_can_write_or_that_is_a_link_is_passed_over() {
    let folder = tempfile::tempdir().expect("folder");
    let home = long(folder.path());
    let run = folder.path().join("run");
    mode(&run, 0o770);
    assert!(settle(&home).expect("settled").starts_with(shared(folder.path())));
    mode(&run, 0o700);
    private_file::folder(&folder.path().join("elsewhere")).expect("made");
    symlink(folder.path().join("elsewhere"), run.join("goald")).expect("linked");
    assert!(settle(&home).expect("settled").starts_with(shared(folder.path())));
    assert!(settle(&Home { runtime: None, ..home }).expect("settled").starts_with(shared(folder.path())));
}

#[test]
fn a_temporary_folder_of_goalds_name_is_refused_if_it_is_open_a_link_or_somebody_elses() {
    let folder = tempfile::tempdir().expect("folder");
    let home = Home { runtime: None, ..long(folder.path()) };
    let shared = shared(folder.path());
    let refused = |words: &str| {
        let error = settle(&home).expect_err("refused").to_string();
        assert!(error.contains(words) && error.contains("GOALD_SOCKET"), "{error}");
        assert!(!home.socket_record().exists(), "nothing is recorded");
    };
    private_file::folder(&shared).expect("made");
    mode(&shared, 0o770);
    refused("others may enter it (mode 0770)");
    mode(&shared, 0o700);
    // Only root can give a folder away; the harness of the whole runs this as root.
    if std::os::unix::fs::chown(&shared, Some(65_534), None).is_ok() {
        refused("it belongs to user 65534");
    } else {
        assert!(std::env::var_os("CI").is_none(), "SKIPPED: a folder of another user: run as root");
    }
    std::fs::remove_dir(&shared).expect("removed");
    symlink(folder.path().join("run"), &shared).expect("linked");
    refused("it is no folder");
}
