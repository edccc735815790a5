//! What the system enforces of what goald promises.

use crate::platform::{Enforced, report};
use goald_schema::doctor::{Area, Finding, FindingCode};

/// One finding for each thing that a system may enforce.
pub fn look() -> Vec<Finding> {
    report()
        .into_iter()
        .map(|capability| {
            let said = format!("{}: {}", capability.name, capability.what);
            match capability.enforced {
                Enforced::Yes => Finding::ok(Area::Platform, said),
                // Not used yet: nothing is weaker without it.
                Enforced::No if capability.name != "landlock" => {
                    Finding::problem(Area::Platform, FindingCode::NotEnforced, said)
                        .hint("run goald on Linux, outside of a sandbox that hides processes")
                }
                Enforced::No | Enforced::Fallback => Finding::note(Area::Platform, FindingCode::NotEnforced, said),
            }
        })
        .collect()
}
