//! Who gets a slot when, and who waits for whom.

use super::*;
use WorkspaceUse::{Alone, Shared};

fn granted(receiver: &mut oneshot::Receiver<Slot>) -> Option<Slot> {
    receiver.try_recv().ok()
}

#[test]
fn one_tree_has_one_worker_and_the_next_in_line_follows() {
    let scheduler = Scheduler::new(4);
    let first = granted(&mut scheduler.request(Path::new("/a"), Alone, Worker::Round)).expect("free");
    let mut second = scheduler.request(Path::new("/a"), Alone, Worker::Check);
    assert!(granted(&mut second).is_none());
    drop(first);
    assert!(granted(&mut second).is_some());
}

#[test]
fn at_most_the_limit_runs_and_one_more_for_messages() {
    let scheduler = Scheduler::new(1);
    let _first = granted(&mut scheduler.request(Path::new("/a"), Alone, Worker::Round)).expect("free");
    let mut round = scheduler.request(Path::new("/b"), Alone, Worker::Round);
    assert!(granted(&mut round).is_none());
    let message = granted(&mut scheduler.request(Path::new("/c"), Alone, Worker::Messages)).expect("one more");
    assert!(granted(&mut scheduler.request(Path::new("/d"), Alone, Worker::Messages)).is_none());
    drop(message);
    assert!(granted(&mut round).is_none(), "the extra slot is not for rounds");
}

#[test]
fn first_come_first_served_past_one_whose_tree_is_busy() {
    let scheduler = Scheduler::new(2);
    let a = granted(&mut scheduler.request(Path::new("/a"), Alone, Worker::Round)).expect("free");
    let mut again = scheduler.request(Path::new("/a"), Alone, Worker::Round);
    let mut other = scheduler.request(Path::new("/b"), Alone, Worker::Round);
    assert!(granted(&mut again).is_none());
    let b = granted(&mut other).expect("another tree is free");
    let mut late = scheduler.request(Path::new("/c"), Alone, Worker::Round);
    drop(a);
    assert!(granted(&mut again).is_some(), "it came before the late one");
    drop(b);
    assert!(granted(&mut late).is_some());
}

#[test]
fn a_waiter_that_left_holds_nothing() {
    let scheduler = Scheduler::new(1);
    let first = granted(&mut scheduler.request(Path::new("/a"), Alone, Worker::Round)).expect("free");
    drop(scheduler.request(Path::new("/b"), Alone, Worker::Round));
    drop(first);
    assert_eq!(scheduler.held(), 0);
    assert!(granted(&mut scheduler.request(Path::new("/b"), Alone, Worker::Round)).is_some());
}
#[test]
fn a_folder_inside_another_is_the_same_tree_and_a_longer_name_is_not() {
    for (one, other) in [("/a", "/a/b"), ("/a/b", "/a"), ("/", "/a"), ("/a/b", "/a/b/")] {
        let scheduler = Scheduler::new(4);
        let first = granted(&mut scheduler.request(Path::new(one), Alone, Worker::Round)).expect("free");
        let mut second = scheduler.request(Path::new(other), Alone, Worker::Round);
        assert!(granted(&mut second).is_none(), "{one} and {other}");
        drop(first);
        assert!(granted(&mut second).is_some(), "{one} and {other}");
    }
    let scheduler = Scheduler::new(4);
    let _first = granted(&mut scheduler.request(Path::new("/a"), Alone, Worker::Round)).expect("free");
    assert!(granted(&mut scheduler.request(Path::new("/ab"), Alone, Worker::Round)).is_some());
}

#[test]
fn workers_inside_a_tree_do_not_keep_whoever_wants_the_whole_waiting() {
    let scheduler = Scheduler::new(4);
    let inner = granted(&mut scheduler.request(Path::new("/a/b"), Alone, Worker::Round)).expect("free");
    let mut whole = scheduler.request(Path::new("/a"), Alone, Worker::Round);
    let mut late = scheduler.request(Path::new("/a/c"), Alone, Worker::Round);
    assert!(granted(&mut late).is_none(), "its tree is free, but promised");
    drop(inner);
    let whole = granted(&mut whole).expect("its turn");
    assert!(granted(&mut late).is_none());
    drop(whole);
    assert!(granted(&mut late).is_some());
}

#[test]
fn one_that_shares_takes_no_tree_but_a_slot() {
    let scheduler = Scheduler::new(2);
    let alone = granted(&mut scheduler.request(Path::new("/a"), Alone, Worker::Round)).expect("free");
    let shared = granted(&mut scheduler.request(Path::new("/a"), Shared, Worker::Round)).expect("beside it");
    assert_eq!((alone.workspace_use(), shared.workspace_use()), (Alone, Shared));
    let mut third = scheduler.request(Path::new("/a"), Shared, Worker::Round);
    assert!(granted(&mut third).is_none(), "two slots, however they are used");
    drop(alone);
    assert!(granted(&mut third).is_some());
    drop(shared);
    let first =
        granted(&mut scheduler.request(Path::new("/a"), Alone, Worker::Round)).expect("free beside one that shares");
    drop(first);
}

#[test]
fn those_that_do_not_share_exclude_each_other_beside_one_that_does() {
    let scheduler = Scheduler::new(4);
    let _shared = granted(&mut scheduler.request(Path::new("/a"), Shared, Worker::Round)).expect("free");
    let _first = granted(&mut scheduler.request(Path::new("/a"), Alone, Worker::Round)).expect("free");
    assert!(granted(&mut scheduler.request(Path::new("/a"), Alone, Worker::Check)).is_none());
}
