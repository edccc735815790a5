//! `NAME_TOKEN=value`, `"api_key": "value"`, `secret = value`: a secret that only its name gives away.

use super::body::Body;
use super::shape::{Named, Rest, SHAPES};

/// So much of a name, the signs behind it and a value decides, in bytes.
const WAIT: usize = 128;

/// What stands behind a name.
pub enum Value {
    /// A secret: from here, so long; it may go on in the next piece.
    Secret(usize, usize),
    /// None, or one whose own shape will be found.
    Nothing,
    /// Not yet clear; what stands before here is no part of any key.
    Open(usize),
}

/// Looks at `bytes` from the name on; the first `name` bytes are the known part of it. `whole`: nothing follows.
pub fn value(bytes: &[u8], name: usize, how: Named, whole: bool) -> Value {
    let open = !whole && bytes.len() < WAIT;
    let bytes = bytes.get(..WAIT).unwrap_or(bytes);
    let upper = bytes.get(..name).is_some_and(|name| !name.iter().any(u8::is_ascii_lowercase));
    let (Some(at), sign) = signs(bytes, name) else { return Value::Nothing };
    let body = bytes.get(at..).unwrap_or_default();
    let length = Body::Token.run(body);
    let value = body.get(..length).unwrap_or_default();
    if has_shape_of_its_own(value) {
        return Value::Nothing;
    }
    if looks_secret(value, how, upper && sign == Sign::Tight) {
        return Value::Secret(at, length);
    }
    if open && at + length == bytes.len() { Value::Open(plain(bytes, name, at)) } else { Value::Nothing }
}

/// How name and value are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// `NAME=value`, as an environment is printed.
    Tight,
    /// Any other way.
    Loose,
}

/// Where a value begins; none if what is there joins no value to the name. At the end of `bytes`: it may begin there.
fn signs(bytes: &[u8], name: usize) -> (Option<usize>, Sign) {
    let mut at = name;
    let mut skip = |what: &dyn Fn(u8) -> bool, most: usize| {
        let run = bytes.get(at..).unwrap_or_default().iter().take(most).take_while(|byte| what(**byte)).count();
        at += run;
        run
    };
    // The rest of the name: `_V2`, `Key`; a plural counts something and holds no secret.
    let plural = bytes.get(name).is_some_and(|byte| byte.eq_ignore_ascii_case(&b's'));
    skip(&|byte| Body::Url.has(byte), 32);
    let closed = skip(&|byte| matches!(byte, b'"' | b'\'' | b'\\'), 2) + skip(&|byte| byte == b' ', 2);
    let joined = skip(&|byte| matches!(byte, b'=' | b':' | b'>'), 2);
    let opened = skip(&|byte| byte == b' ', 2);
    skip(&|byte| matches!(byte, b'"' | b'\'' | b'\\'), 2);
    let sign = if closed + opened == 0 { Sign::Tight } else { Sign::Loose };
    ((!plural && (joined > 0 || at == bytes.len())).then_some(at), sign)
}

/// How far name and signs can be shown before the value is known: not at all where the name may go on, or the rest of it
/// be a key.
fn plain(bytes: &[u8], name: usize, at: usize) -> usize {
    let rest = bytes.get(name..at).unwrap_or_default();
    let short = Body::Url.run(rest) < 10 && !rest.iter().any(u8::is_ascii_digit);
    let joined = rest.iter().any(|byte| matches!(byte, b'=' | b':' | b'>'));
    if short && joined { at } else { 0 }
}

fn has_shape_of_its_own(value: &[u8]) -> bool {
    SHAPES.iter().any(|shape| !matches!(shape.rest, Rest::Named(_)) && value.starts_with(shape.prefix.as_bytes()))
}

/// A variable of an environment is believed more than a line of code.
fn looks_secret(value: &[u8], how: Named, variable: bool) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let path = value.starts_with(b"/") || value.starts_with(b".");
    match how {
        Named::Certain if value.len() >= 40 => true,
        Named::Certain | Named::Maybe if path => false,
        Named::Certain | Named::Maybe if variable => value.len() >= 8 && digits >= 1 && letters >= 1,
        Named::Certain | Named::Maybe => value.len() >= 16 && digits >= 3 && letters >= 3,
    }
}
