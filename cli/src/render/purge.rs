//! `goal purge` for people.

use goald_schema::protocol::purge::PurgeReply;

/// One line: what went.
pub fn text(reply: &PurgeReply) -> String {
    if (reply.blobs, reply.files) == (0, 0) {
        return "nothing to purge: no finished goal has left anything".to_owned();
    }
    let verb = if reply.dry_run { "would free" } else { "freed" };
    let PurgeReply { goals, blobs, files, bytes, .. } = reply;
    format!("{verb} {bytes} bytes: {blobs} texts and {files} files of {goals} finished goals")
}
