//! Counting types. All start at 1 (a `Seq` of 0 means "no event yet"), grow by one and never go back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// The first one.
            pub const FIRST: Self = Self(1);

            /// The one after this; stays at the type's maximum, which no history reaches.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }

            /// The bare number.
            pub const fn get(self) -> $inner {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

counter!(
    /// A goal's revision: every change raises it by one. Also used for the content revision.
    Revision(u64)
);
counter!(
    /// A round of a goal: 1, 2, …
    Round(u32)
);
counter!(
    /// The how-many-th attempt of a turn this is: 1, 2, …
    AttemptNumber(u32)
);
counter!(
    /// An event's number within its session: 1, 2, … without a gap.
    Seq(u64)
);
counter!(
    /// An event's place in the log as a whole. Increases; may have gaps.
    Position(u64)
);
