//! Whether a process lives in the daemon's own process namespace: one of another cannot be told by its ancestors.

use super::look::Look;

/// Where a process lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Namespace {
    /// In this process's own.
    Own,
    /// In another, or the system does not say.
    Other,
}

/// Where this one lives.
pub fn of(look: &impl Look, pid: u32, own: u32) -> Namespace {
    match (look.namespace(pid), look.namespace(own)) {
        (Some(its), Some(ours)) if its == ours => Namespace::Own,
        _ => Namespace::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::look::tests::Scene;
    use super::*;

    #[test]
    fn the_same_another_and_a_hidden_namespace() {
        let scene = Scene::default().with_namespace(7, Some("pid:[2]")).with_namespace(8, None);
        assert_eq!(of(&scene, 5, 6), Namespace::Own);
        assert_eq!(of(&scene, 7, 6), Namespace::Other);
        assert_eq!(of(&scene, 8, 6), Namespace::Other, "what the system hides is not ours");
    }
}
