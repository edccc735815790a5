//! Strict decoding of enums that are told apart by `kind`: a variant without fields takes no fields. (Serde's own
//! derive lets anything stand beside the tag of such a variant.)

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// An enum tagged by `kind`.
pub(super) trait Tagged: DeserializeOwned {
    /// The kinds of the variants that have no fields.
    const BARE: &'static [&'static str];
}

/// Reads such an enum; used with `deserialize_with` where an event holds one.
///
/// # Errors
/// Whatever the enum's own rules refuse, and fields beside the tag of a bare variant.
pub(super) fn strict<'de, D: Deserializer<'de>, T: Tagged>(deserializer: D) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
    let fields = value.as_object().map_or(0, serde_json::Map::len);
    if fields > 1 && T::BARE.contains(&kind) {
        return Err(D::Error::custom(format!("{kind} has no fields")));
    }
    serde_json::from_value(value).map_err(D::Error::custom)
}
