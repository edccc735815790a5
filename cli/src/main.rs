//! The binary `goal`.

fn main() {}
