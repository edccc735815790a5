//! The known shapes: how a key begins, what it is made of, how long it is at least.
//!
//! A shape is a prefix and a run of bytes behind it, never more: so it is known at any byte whether a key may be in the
//! making, and looking costs the same whatever is printed. A new kind of key is a new line here.

use super::body::Body;

/// Where a key may begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Anywhere: no other text has this prefix.
    Anywhere,
    /// Not within a word.
    Fresh,
    /// Behind the header of a token of three parts, which says nothing secret.
    BehindHeader,
}

/// What is behind the prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// A run of bytes, which is a key from so many on. It goes as a whole.
    Key(Body, usize),
    /// The same, of this length exactly.
    Exact(Body, usize),
    /// The same, and the prefix is kept: it says what was there.
    Behind(Body, usize),
    /// The lines of a private key, up to their end.
    Pem,
    /// The prefix is part of a name to which a secret may be assigned.
    Named(Named),
}

/// How sure a name makes it that its value is a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// Any value of forty bytes is one.
    Certain,
    /// The value must look like one.
    Maybe,
}

/// One known shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// What stands in the key's place.
    pub kind: &'static str,
    /// Its first bytes; names and `bearer` in any case.
    pub prefix: &'static str,
    /// Where it may begin.
    pub start: Start,
    /// What follows.
    pub rest: Rest,
}

const fn key(kind: &'static str, prefix: &'static str, start: Start, body: Body, least: usize) -> Shape {
    Shape { kind, prefix, start, rest: Rest::Key(body, least) }
}

const fn named(prefix: &'static str, how: Named) -> Shape {
    Shape { kind: "secret", prefix, start: Start::Anywhere, rest: Rest::Named(how) }
}

const fn aws(prefix: &'static str) -> Shape {
    Shape { kind: "aws-key", prefix, start: Start::Fresh, rest: Rest::Exact(Body::Upper, 16) }
}

use Body::{Alphanumeric, Dotted, Hex, Url};
use Start::{Anywhere, BehindHeader, Fresh};

/// Every shape. Of two prefixes that begin at one place the longer counts.
pub const SHAPES: &[Shape] = &[
    key("goald-token", "goald_", Anywhere, Hex, 64),
    key("anthropic-key", "sk-ant-", Anywhere, Url, 20),
    key("openai-key", "sk-proj-", Anywhere, Url, 20),
    key("openai-key", "sk-svcacct-", Anywhere, Url, 20),
    key("openai-key", "sk-admin-", Anywhere, Url, 20),
    key("openrouter-key", "sk-or-v1-", Anywhere, Alphanumeric, 20),
    key("openai-key", "sk-", Fresh, Alphanumeric, 32),
    key("github-token", "ghp_", Fresh, Alphanumeric, 30),
    key("github-token", "gho_", Fresh, Alphanumeric, 30),
    key("github-token", "ghu_", Fresh, Alphanumeric, 30),
    key("github-token", "ghs_", Fresh, Alphanumeric, 30),
    key("github-token", "ghr_", Fresh, Alphanumeric, 30),
    key("github-token", "github_pat_", Anywhere, Url, 30),
    key("gitlab-token", "glpat-", Fresh, Dotted, 20),
    aws("AKIA"),
    aws("ASIA"),
    key("google-key", "AIza", Fresh, Url, 35),
    key("google-token", "ya29.", Fresh, Url, 30),
    key("slack-token", "xoxa-", Fresh, Url, 10),
    key("slack-token", "xoxb-", Fresh, Url, 10),
    key("slack-token", "xoxe-", Fresh, Url, 10),
    key("slack-token", "xoxo-", Fresh, Url, 10),
    key("slack-token", "xoxp-", Fresh, Url, 10),
    key("slack-token", "xoxr-", Fresh, Url, 10),
    key("slack-token", "xoxs-", Fresh, Url, 10),
    key("slack-token", "xapp-", Fresh, Url, 20),
    key("stripe-key", "sk_live_", Fresh, Alphanumeric, 16),
    key("stripe-key", "rk_live_", Fresh, Alphanumeric, 16),
    key("stripe-key", "whsec_", Fresh, Alphanumeric, 24),
    key("npm-token", "npm_", Fresh, Alphanumeric, 36),
    key("hugging-face-token", "hf_", Fresh, Alphanumeric, 30),
    key("xai-key", "xai-", Fresh, Alphanumeric, 40),
    key("groq-key", "gsk_", Fresh, Alphanumeric, 40),
    key("jwt", ".eyJ", BehindHeader, Dotted, 8),
    Shape { kind: "bearer-token", prefix: "bearer ", start: Fresh, rest: Rest::Behind(Body::Token, 20) },
    Shape { kind: "private-key", prefix: "-----BEGIN ", start: Anywhere, rest: Rest::Pem },
    named("secret_access_key", Named::Certain),
    named("secretaccesskey", Named::Certain),
    named("secret", Named::Maybe),
    named("token", Named::Maybe),
    named("passwd", Named::Maybe),
    named("password", Named::Maybe),
    named("api_key", Named::Maybe),
    named("api-key", Named::Maybe),
    named("apikey", Named::Maybe),
    named("access_key", Named::Maybe),
    named("private_key", Named::Maybe),
];
