//! Every kind of append, and how a session comes to it.

use super::scene::Scene;
use serde_json::{Value, json};

/// What makes a session append.
pub enum Push {
    /// A request, which is refused.
    Ask(&'static str, fn(&Scene) -> Value),
    /// A request that is granted, and what the driver or the agent does then.
    After(&'static str, fn(&Scene) -> Value),
    /// The agent goes on.
    Agent,
}

/// One kind of append.
pub struct Case {
    pub kind: &'static str,
    /// What the event's data hold.
    pub holds: &'static str,
    /// Leads up to it.
    pub before: fn(&mut Scene),
    pub push: Push,
}

/// Event types that this goald knows and never appends: nothing that it does leads to them yet.
pub const NEVER: [&str; 7] = [
    "hold/opened",
    "hold/closed",
    "question/asked",
    "question/answered",
    "effect/begun",
    "effect/finished",
    "permission/suspended",
];

const fn case(kind: &'static str, holds: &'static str, before: fn(&mut Scene), push: Push) -> Case {
    Case { kind, holds, before, push }
}

/// Those that `cargo test` shows come first.
pub const CASES: [Case; 22] = [
    case("goal/change", r#""operation":"edit""#, at_work, Push::Ask("edit", edit)),
    case("round/admitted", "", nothing, Push::After("create", create)),
    case("attempt/started", "", nothing, Push::After("create", create)),
    case("attempt/ended", "", nothing, Push::After("create", create)),
    case("session/opened", "", nothing, Push::Ask("create", create)),
    case("claim/made", "", claims, Push::After("create", create)),
    case("goal/change", r#""operation":"create""#, completed, Push::Ask("create", create)),
    case("goal/change", r#""operation":"pause""#, at_work, Push::Ask("pause", reference)),
    case("goal/change", r#""operation":"resume""#, paused, Push::Ask("resume", resume)),
    case("goal/change", r#""operation":"clear""#, at_work, Push::Ask("clear", reference)),
    case("goal/change", r#""operation":"complete""#, at_work, Push::Ask("complete", reference)),
    case("goal/change", r#""operation":"block""#, at_work, Push::Ask("block", block)),
    case("goal/change", r#""operation":"pause""#, pause_requested, Push::Agent),
    case("goal/change", r#""operation":"complete""#, nothing, Push::After("create", create)),
    case("goal/change", r#""operation":"block""#, never_done, Push::After("create", one_round)),
    case("pause/requested", "", at_work, Push::Ask("pause", pause_later)),
    case("pause/withdrawn", "", pause_requested, Push::Ask("resume", resume)),
    case("round/ended", "", nothing, Push::After("create", create)),
    case("verdict/recorded", "", nothing, Push::After("create", create)),
    case("message/queued", "", at_work, Push::Ask("say", say)),
    case("message/delivered", "", nothing, Push::After("say", say)),
    case("turn/stopped", "", in_a_message_turn, Push::Ask("pause", place)),
];

/// Appended by an agent's wish that is refused.
pub const REFUSALS: [Case; 2] = [
    case("claim/refused", "", reports_too_early, Push::After("create", create)),
    case("authority/refused", "", clears, Push::After("create", create)),
];

fn nothing(_: &mut Scene) {}

fn at_work(scene: &mut Scene) {
    scene.plot.touch("slow");
    scene.grant("create", create(scene));
    scene.until("attempt/started");
}

fn paused(scene: &mut Scene) {
    at_work(scene);
    scene.grant("pause", reference(scene));
    scene.until("attempt/ended");
}

fn pause_requested(scene: &mut Scene) {
    never_done(scene);
    at_work(scene);
    scene.grant("pause", pause_later(scene));
}

fn completed(scene: &mut Scene) {
    scene.grant("create", create(scene));
    scene.raw.call("wait", json!({"targets": [scene.plot.target()]}));
}

fn never_done(scene: &mut Scene) {
    scene.plot.touch("never");
}

fn in_a_message_turn(scene: &mut Scene) {
    scene.plot.touch("slow");
    scene.grant("say", say(scene));
    scene.until("attempt/started");
}

fn claims(scene: &mut Scene) {
    scene.tell("agent complete --summary x");
}

fn reports_too_early(scene: &mut Scene) {
    scene.tell("agent blocked --reason x");
}

fn clears(scene: &mut Scene) {
    scene.tell("clear");
}

fn place(scene: &Scene) -> Value {
    json!({"target": scene.plot.target()})
}

fn create(scene: &Scene) -> Value {
    scene.plot.create()
}

fn one_round(scene: &Scene) -> Value {
    with(scene.plot.create(), "maxRounds", json!(1))
}

fn reference(scene: &Scene) -> Value {
    with(place(scene), "ref", scene.reference())
}

fn edit(scene: &Scene) -> Value {
    with(reference(scene), "maxRounds", json!(200_000))
}

/// More rounds than any case has asked for.
pub fn more_rounds(scene: &Scene) -> Value {
    with(reference(scene), "maxRounds", json!(300_000))
}

fn pause_later(scene: &Scene) -> Value {
    with(reference(scene), "when", json!("after-round"))
}

fn resume(scene: &Scene) -> Value {
    with(reference(scene), "caller", scene.plot.caller())
}

fn block(scene: &Scene) -> Value {
    with(with(reference(scene), "code", json!("needs-person")), "message", json!("stop here"))
}

fn say(scene: &Scene) -> Value {
    let said = with(with(place(scene), "text", json!("hello")), "caller", scene.plot.caller());
    with(said, "agent", json!("./agent.sh"))
}

fn with(mut params: Value, name: &str, value: Value) -> Value {
    params[name] = value;
    params
}
