//! A small file system in memory that a test fills and empties. Nothing of it is left when this is dropped.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Mounted over a folder.
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts it; the reason where this machine cannot.
    pub fn mount(folder: &Path) -> Result<Self, String> {
        run("mount", &["-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs"], folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Leaves so many pages.
    pub fn fill(&self, pages: u64) {
        let mut filler = self.filler();
        // Not even a byte is taken any more.
        while filler.write(&[1; 4096]).is_ok_and(|written| written > 0) {}
        let length = filler.metadata().expect("it is there").len();
        filler.set_len(length.saturating_sub(pages * 4096)).expect("shortened");
    }

    fn filler(&self) -> File {
        OpenOptions::new().append(true).create(true).open(self.folder.join("filler")).expect("opened")
    }

    /// There is room again.
    pub fn make_room(&self) {
        std::fs::remove_file(self.folder.join("filler")).expect("removed");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Also where something still holds it.
        if let Err(error) = run("umount", &["-l"], &self.folder) {
            std::io::stderr().write_all(format!("{error}\n").as_bytes()).ok();
        }
    }
}

fn run(program: &str, options: &[&str], folder: &Path) -> Result<(), String> {
    let output = Command::new(program).args(options).arg(folder).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
