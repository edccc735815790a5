//! One task a session: it owns the session's state, handles one thing at a time, and carries out the step that the core
//! names. Spawning and waiting happen in tasks of their own, which report by mail; nothing here polls.

mod carry;
mod check;
mod commit;
mod load;
mod mail;
mod prompt;
mod start;
mod stop;
mod task;
mod view;

pub use load::{Loaded, fold, load};
pub use mail::{Ask, Granted, SessionHandle, Thresholds};
pub use task::spawn;
pub use view::{Outputs, RunningOutput, View, nothing};
