//! Something else in the place of the database.

use super::{stopped, takes_no_change};
use std::os::unix::fs::symlink;

#[test]
fn a_folder_a_pipe_an_empty_file_or_words_in_place_of_the_database_take_no_change() {
    for what in ["folder", "pipe", "empty", "words"] {
        let world = stopped();
        let path = world.home().join("goald.db");
        std::fs::remove_file(&path).unwrap();
        match what {
            "folder" => std::fs::create_dir(&path).unwrap(),
            "pipe" => nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap(),
            "empty" => std::fs::write(&path, "").unwrap(),
            _ => std::fs::write(&path, "words ".repeat(1000)).unwrap(),
        }
        let told = world.goal(&["list", "--json"]).json(1);
        assert_eq!(told["error"]["code"], "store-damaged", "{what}: {told}");
        takes_no_change(&world);
        world.goal(&["daemon", "stop"]).exits(0);
        match what {
            "folder" => assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0),
            "empty" => assert_eq!(std::fs::metadata(&path).unwrap().len(), 0),
            "words" => assert_eq!(std::fs::read(&path).unwrap().len(), 6000),
            _ => {}
        }
    }
}

#[test]
fn a_link_to_the_database_is_followed_and_stays_one_that_leads_nowhere_is_damage() {
    let world = stopped();
    let (path, other) = (world.home().join("goald.db"), world.home().join("elsewhere.db"));
    std::fs::rename(&path, &other).unwrap();
    symlink(&other, &path).unwrap();
    world.goal(&["-s", "new", "run", "--agent", "./agent.sh", "--check", "true", "y"]).exits(0);
    world.goal(&["daemon", "stop"]).exits(0);
    assert!(path.is_symlink());
    std::fs::remove_file(&other).unwrap();
    takes_no_change(&world);
    assert!(path.is_symlink() && !other.exists());
}

#[test]
fn an_older_copy_is_known_between_runs_and_under_the_daemon() {
    let world = stopped();
    let (path, copy) = (world.home().join("goald.db"), world.work().join("copy.db"));
    std::fs::copy(&path, &copy).unwrap();
    let more = ["-s", "more", "run", "--agent", "./agent.sh", "--check", "true", "y"];
    world.goal(&more).exits(0);
    world.goal(&["daemon", "stop"]).exits(0);
    let newest = std::fs::read(&path).unwrap();
    std::fs::copy(&copy, &path).unwrap();
    takes_no_change(&world);
    world.goal(&["daemon", "stop"]).exits(0);
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&copy).unwrap());

    // Back in its place it goes on; then another file takes its name while the daemon has it open.
    std::fs::write(&path, newest).unwrap();
    world.goal(&["-s", "more", "clear"]).exits(0);
    std::fs::rename(&copy, &path).unwrap();
    takes_no_change(&world);
    world.goal(&["daemon", "stop"]).exits(0);
    takes_no_change(&world);
}
