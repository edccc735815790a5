//! What client and daemon must agree on about the socket's place. The rule: a daemon listens at `goald.sock` of its state
//! folder, or where it was told to, or, where that first path is longer than the system allows, at a short one; whenever
//! it listens elsewhere than at `goald.sock` it writes the path into the file [`RECORD`] of the state folder, and a client
//! that was not told a path looks there. So both agree also where their environments differ.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The socket's name in the state folder.
pub const NAME: &str = "goald.sock";

/// The file of the state folder that holds the path of a socket that is elsewhere: its bytes and nothing else.
pub const RECORD: &str = "goald.socket-path";

/// The longest path of a socket, in bytes, without the NUL that ends it.
pub const PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Whether the system takes it as the path of a socket.
pub fn fits(path: &Path) -> bool {
    path.as_os_str().as_bytes().len() <= PATH_BYTES
}
