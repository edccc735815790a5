//! The file system that the state folder is on: room, and whether a log is safe there.

use super::places::unreadable;
use goald_schema::doctor::{Area, Finding, FindingCode};
use nix::sys::statfs::{FsType, statfs};
use nix::sys::statvfs::statvfs;
use std::path::Path;

/// Below this much room a busy day may end in a full disk, in bytes.
const LITTLE: u64 = 256 << 20;

/// File systems of other machines, by the numbers that the kernel gives them: shared memory and locks of a write-ahead log
/// do not work over a network.
const NETWORK: [(FsType, &str); 9] = [
    (FsType(0x6969), "NFS"),
    (FsType(0x517b), "SMB"),
    (FsType(0xff53_4d42), "CIFS"),
    (FsType(0xfe53_4d42), "SMB2"),
    (FsType(0x0102_1997), "9P"),
    (FsType(0x00c3_6400), "Ceph"),
    (FsType(0x5346_414f), "AFS"),
    (FsType(0x7375_7245), "Coda"),
    (FsType(0x0bd0_0bd0), "Lustre"),
];

/// Looks at both.
pub fn look(state: &Path) -> Vec<Finding> {
    let kind = match statfs(state) {
        Ok(found) => kind(found.filesystem_type()),
        Err(error) => unreadable(state, &error.into()),
    };
    let room = match statvfs(state) {
        Ok(found) => room(found.blocks_available().saturating_mul(found.fragment_size())),
        Err(error) => unreadable(state, &error.into()),
    };
    vec![kind, room]
}

fn kind(found: FsType) -> Finding {
    match NETWORK.iter().find(|(network, _)| *network == found) {
        Some((_, name)) => {
            let said = format!("the state folder is on a network file system ({name}): a log can be damaged there");
            Finding::problem(Area::Places, FindingCode::NetworkFolder, said)
                .hint("stop the daemon, move the folder to a local disk, set GOALD_HOME or XDG_STATE_HOME to it")
        }
        None => Finding::ok(Area::Places, "the state folder is on a local file system"),
    }
}

fn room(free: u64) -> Finding {
    let said = format!("{} MiB are free", free >> 20);
    if free < LITTLE {
        Finding::problem(Area::Places, FindingCode::LowSpace, said)
            .hint("make room; goald stops changing anything when there is none, and loses nothing")
    } else {
        Finding::ok(Area::Places, said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goald_schema::doctor::Level;

    #[test]
    fn a_network_file_system_and_little_room_are_problems() {
        for network in NETWORK.map(|(network, _)| network) {
            assert_eq!(kind(network).code, Some(FindingCode::NetworkFolder));
        }
        assert_eq!(kind(FsType(0xef53)).level, Level::Ok);
        assert_eq!(room(LITTLE - 1).code, Some(FindingCode::LowSpace));
        assert_eq!(room(LITTLE).level, Level::Ok);
    }
}
