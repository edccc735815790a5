//! Strict decoding, in one place for every type: whatever the text says must stand in what was read from it.
//!
//! Serde's derive is lenient where it costs nothing: a struct may come as a list by position, a variant without fields
//! takes any field beside its tag, a bare word may come as `{"word": null}`. So what was read is written again and held
//! against what was given; something that is not there was not understood and is refused. No type has to take care.

use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::io;

/// Why something was refused.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is no JSON, or does not fit the type.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It fits, but says something that the type has no place for.
    #[error("at {:?}: {what}", pointer(.path))]
    Surplus {
        /// Keys and indexes from the innermost to the outermost.
        path: Vec<String>,
        /// What stands there.
        what: String,
    },
}

fn pointer(path: &[String]) -> String {
    path.iter().rev().flat_map(|step| ["/", step]).collect()
}

/// How exactly the given text must be the one that would be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// Only order and space may differ: goald wrote it itself.
    Own,
    /// Times and ids may be spelt otherwise, and what is optional may be `null` or an empty list.
    Foreign,
}

/// Reads what goald itself has stored.
///
/// # Errors
/// [`Refused`]
pub fn stored<T: Serialize + DeserializeOwned>(text: &str) -> Result<T, Refused> {
    text_of(text, Spelling::Own)
}

/// Reads what somebody else has written.
///
/// # Errors
/// [`Refused`]
pub fn spoken<T: Serialize + DeserializeOwned>(text: &str) -> Result<T, Refused> {
    text_of(text, Spelling::Foreign)
}

/// Reads a part of something that was read by [`spoken`].
///
/// # Errors
/// [`Refused`]
pub fn part<T: Serialize + DeserializeOwned>(given: &Value) -> Result<T, Refused> {
    let read = T::deserialize(given)?;
    compare(given, &serde_json::to_value(&read)?, Spelling::Foreign)?;
    Ok(read)
}

fn text_of<T: Serialize + DeserializeOwned>(text: &str, spelling: Spelling) -> Result<T, Refused> {
    let read: T = serde_json::from_str(text)?;
    // Nearly everything stands exactly as it would be written; that is told without building anything.
    let mut same = Same { rest: text.as_bytes() };
    if serde_json::to_writer(&mut same, &read).is_ok() && same.rest.is_empty() {
        return Ok(read);
    }
    let given: Document = serde_json::from_str(text)?;
    compare(&given.0, &serde_json::to_value(&read)?, spelling)?;
    Ok(read)
}

/// Takes only the very bytes that it is to be compared with.
struct Same<'a> {
    rest: &'a [u8],
}

impl io::Write for Same<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest = self.rest.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn compare(given: &Value, meant: &Value, spelling: Spelling) -> Result<(), Refused> {
    match (given, meant) {
        (Value::Object(given), Value::Object(meant)) => {
            given.iter().try_for_each(|(key, value)| match meant.get(key) {
                Some(meant) => compare(value, meant, spelling).map_err(|refused| below(key, refused)),
                None if spelling == Spelling::Foreign && says_nothing(value) => Ok(()),
                None => Err(below(key, surplus("there is no such field"))),
            })
        }
        (Value::Array(given), Value::Array(meant)) if given.len() == meant.len() => {
            given.iter().zip(meant).enumerate().try_for_each(|(index, (given, meant))| {
                compare(given, meant, spelling).map_err(|refused| below(&index.to_string(), refused))
            })
        }
        (Value::String(_), Value::String(_)) if spelling == Spelling::Foreign => Ok(()),
        _ if given == meant => Ok(()),
        _ if kind(given) == kind(meant) => Err(surplus("this is not how it is written")),
        _ => Err(surplus(&format!("{} stands where {} belongs", kind(given), kind(meant)))),
    }
}

/// What is optional is left out where it would be this.
fn says_nothing(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

fn surplus(what: &str) -> Refused {
    Refused::Surplus { path: Vec::new(), what: what.to_owned() }
}

fn below(step: &str, refused: Refused) -> Refused {
    match refused {
        Refused::Surplus { mut path, what } => {
            path.push(step.to_owned());
            Refused::Surplus { path, what }
        }
        Refused::Json(_) => refused,
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Any JSON in which no field stands twice.
struct Document(Value);

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Document(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Document(value))) = fields.next_entry::<String, _>()? {
            if map.contains_key(&key) {
                return Err(de::Error::custom(format_args!("the field {key:?} stands twice")));
            }
            map.insert(key, value);
        }
        Ok(map.into())
    }
}
