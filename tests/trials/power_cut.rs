//! The power is cut: a file system of its own is shut down under the daemon, with nothing flushed that was not flushed yet.

use super::ground::{Doomed, Ground};
use super::hands::{Hand, follow};
use super::ledger::{self, Ledger};
use super::{Counts, Trial};
use rustix::ioctl::{Setter, ioctl, opcode};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// Ends at once, or works until it is stopped.
const AGENT: &str = "cat > /dev/null; [ -e finish ] && { touch done; exit 0; }; echo working
[ $(( ${GOALD_ROUND:-1} % 2 )) = 0 ] || exec sleep 1000";

/// `EXT4_IOC_SHUTDOWN`, as `linux/ext4.h` has it.
const SHUTDOWN: rustix::ioctl::Opcode = opcode::read::<u32>(b'X', 125);
/// `EXT4_GOING_FLAGS_NOLOGFLUSH`: not even the journal is flushed.
const NOTHING_FLUSHED: u32 = 2;

/// A file system in a file, mounted. Nothing of it is left when this is dropped.
struct Disk {
    image: PathBuf,
    folder: PathBuf,
}

impl Disk {
    /// Makes and mounts it; the reason where this machine cannot.
    fn new(image: PathBuf, folder: PathBuf) -> Result<Self, String> {
        File::create(&image).and_then(|file| file.set_len(96 << 20)).expect("an image");
        run("mkfs.ext4", &["-q", "-F"], &[&image])?;
        let disk = Self { image, folder };
        disk.mount()?;
        Ok(disk)
    }

    fn mount(&self) -> Result<(), String> {
        run("mount", &["-o", "loop"], &[&self.image, &self.folder])
    }

    /// From now on nothing reaches the disk any more.
    fn cut(&self) {
        let folder = File::open(&self.folder).expect("it is mounted");
        #[expect(unsafe_code, reason = "no crate has this call")]
        // SAFETY: the kernel reads one 32-bit number, by the pointer that it is given.
        let cut = unsafe { ioctl(&folder, Setter::<SHUTDOWN, u32>::new(NOTHING_FLUSHED)) };
        cut.expect("the file system is shut down");
    }

    /// The machine is on again: what its memory held is gone, and the journal is replayed.
    fn restart(&self) {
        run("umount", &[], &[&self.folder]).expect("unmounted");
        self.mount().expect("mounted again");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Also where something still holds it; the loop device goes with the mount.
        if let Err(error) = run("umount", &["-l"], &[&self.folder]) {
            std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes()).ok();
        }
    }
}

fn run(program: &str, options: &[&str], paths: &[&Path]) -> Result<(), String> {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let ran = Command::new(program).args(options).args(paths).env("PATH", path).output();
    let output = ran.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// What `SQLite` says to the database as the cut left it, of which it gets a copy.
fn is_whole(ground: &Ground) {
    let copy = tempfile::tempdir().expect("a folder");
    for name in ["goald.db", "goald.db-wal"] {
        let from = ground.world.home().join(name);
        if from.exists() {
            std::fs::copy(from, copy.path().join(name)).expect("copied");
        }
    }
    let database = rusqlite::Connection::open(copy.path().join("goald.db")).expect("opened");
    let said: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("asked");
    assert_eq!(said, "ok");
}

#[test]
fn power_cut() {
    let mut trial = Trial::new("power cut", Counts { few: 2, short: 3, full: 10 });
    let ground = Ground::new(8, AGENT);
    let disk = match Disk::new(ground.world.work().join("disk"), ground.world.home()) {
        Ok(disk) => disk,
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "needs root and loop devices: {why}");
            return crate::harness::skipped("a power cut", "run the tests as root, where there are loop devices");
        }
    };
    ground.configure();
    let mut hands: Vec<Hand> = ground.plots().into_iter().map(|plot| Hand::new(plot, trial.dice.u64(..))).collect();
    for hand in &mut hands {
        // A daemon without its disk cannot say anything better, and ends.
        // What a file system says once it is shut down may look like damage to who is still there.
        hand.no_answers = &["store-failed", "store-damaged", "store-read-only", "internal", "bad-config"];
    }
    let mut log = Vec::new();
    for _ in 0..trial.count() {
        let daemon = ground.start(&[]).expect("it starts");
        let after = log.last().map_or(0, position);
        let last = after + trial.dice.u64(20..600);
        let plots = ground.plots();
        let seen = thread::scope(|scope| {
            for hand in &mut hands {
                scope.spawn(|| hand.work());
            }
            let doomed = Doomed(&daemon);
            // Cut when so much has happened.
            let seen = follow(&plots[0], after, |event| position(event) < last);
            disk.cut();
            drop(doomed);
            seen
        });
        ground.quiet_since(std::time::Instant::now());
        disk.restart();
        is_whole(&ground);
        let daemon = ground.start(&[]).expect("it starts again");
        let doomed = Doomed(&daemon);
        let now = ground.verified_start();
        ledger::still_there(&log, &now);
        ledger::still_there(&seen, &now);
        for hand in &hands {
            hand.ledger.is_kept(&now);
        }
        log = now;
        drop(doomed);
    }
    let daemon = ground.start(&[]).expect("it starts");
    // Before its disk goes.
    let _doomed = Doomed(&daemon);
    let mut raw = ground.reach().expect("it answers");
    let mut all = Ledger::default();
    for hand in &mut hands {
        hand.plot.touch("finish");
        hand.repeat(&mut raw).expect("it answers");
        hand.plot.complete(&mut raw).expect("it answers");
        all.merge(hand.ledger.clone());
    }
    all.is_kept(&ground.log());
    trial.result("acknowledged changes, all kept:", all.changes);
}

fn position(event: &serde_json::Value) -> u64 {
    event["position"].as_u64().expect("a position")
}
