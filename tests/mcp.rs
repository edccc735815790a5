//! The MCP server, spoken to as an agent's program does.

use crate::harness::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

/// A program that speaks to `goal mcp`.
pub struct Mcp {
    child: Child,
    reader: BufReader<std::process::ChildStdout>,
    next: u64,
}

impl Mcp {
    pub fn start(world: &World, token: Option<&str>) -> Self {
        let mut command = world.command(&["mcp"]);
        if let Some(token) = token {
            command.env("GOALD_TOKEN", token);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let reader = BufReader::new(child.stdout.take().unwrap());
        let mut mcp = Self { child, reader, next: 1 };
        let greeting = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}});
        assert_eq!(mcp.call("initialize", greeting)["result"]["serverInfo"]["name"], "goald");
        mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        mcp
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    pub fn tool(&mut self, name: &str, arguments: Value) -> Value {
        self.call("tools/call", json!({"name": name, "arguments": arguments}))["result"].clone()
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// A goal in its round; the agent waits until `go` is written.
fn in_a_round(world: &World) -> String {
    let (up, _) = (world.fifo("up"), world.fifo("go"));
    world.script("agent.sh", "cat > /dev/null; printf %s \"$GOALD_TOKEN\" > token.txt; echo up > up; cat go");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "4", "x"]).exits(0);
    crate::harness::read_fifo(&up);
    world.read("token.txt")
}

#[test]
fn the_tools_are_listed_and_only_get_goal_is_read_only() {
    let world = World::new();
    let mut mcp = Mcp::start(&world, None);
    let tools = mcp.call("tools/list", json!({}))["result"]["tools"].clone();
    let mut names: Vec<(&str, bool)> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["name"].as_str().unwrap(), tool["annotations"]["readOnlyHint"] == true))
        .collect();
    names.sort_unstable();
    assert_eq!(names, [("create_goal", false), ("get_goal", true), ("update_goal", false)]);
}

#[test]
fn an_agent_reads_its_goal_and_completes_it_through_the_tool() {
    let world = World::new();
    let token = in_a_round(&world);
    let mut mcp = Mcp::start(&world, Some(&token));
    let told = mcp.tool("get_goal", json!({}))["structuredContent"].clone();
    assert_eq!((told["goal"]["objective"].as_str(), told["activation"].as_str()), (Some("x"), Some("armed")));
    let arguments = json!({"goal_id": told["goal"]["id"], "revision": told["goal"]["revision"], "action": "complete",
        "summary": "done", "objective": "", "blocked_reason": ""});
    let reply = mcp.tool("update_goal", arguments);
    assert_eq!(reply["isError"], false, "{reply}");
    assert!(reply["structuredContent"]["instruction"].as_str().unwrap().contains("end your turn"), "{reply}");
    std::fs::write(world.work().join("go"), "go").unwrap();
    world.goal(&["wait"]).exits(0);
    assert_eq!(world.logged("claim/made")[0]["via"], "mcp");
}

#[test]
fn a_blocked_report_before_its_round_is_refused_with_how_many_are_missing() {
    let world = World::new();
    let token = in_a_round(&world);
    let mut mcp = Mcp::start(&world, Some(&token));
    let goal = mcp.tool("get_goal", json!({}))["structuredContent"]["goal"].clone();
    let arguments =
        json!({"goal_id": goal["id"], "revision": goal["revision"], "action": "blocked", "blocked_reason": "hard"});
    let reply = mcp.tool("update_goal", arguments);
    assert_eq!(
        (reply["isError"].as_bool(), reply["structuredContent"]["error"]["code"].as_str()),
        (Some(true), Some("claim-refused"))
    );
    assert!(reply["structuredContent"]["error"]["hint"].as_str().unwrap().contains("2 more to go"), "{reply}");
    let edit = json!({"goal_id": goal["id"], "revision": goal["revision"], "action": "edit", "objective": "less"});
    assert_eq!(mcp.tool("update_goal", edit)["structuredContent"]["error"]["code"], "not-permitted");
    world.goal(&["pause"]).exits(0);
}

#[test]
fn without_a_token_it_reads_and_may_do_nothing() {
    let world = World::new();
    world.script("agent.sh", "exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    let mut mcp = Mcp::start(&world, None);
    let goal = mcp.tool("get_goal", json!({}))["structuredContent"]["goal"].clone();
    assert_eq!(goal["objective"], "x");
    let arguments = json!({"goal_id": goal["id"], "revision": goal["revision"], "action": "complete", "summary": "s"});
    let refused = mcp.tool("update_goal", arguments);
    assert_eq!(refused["structuredContent"]["error"]["code"], "not-permitted");
    assert_eq!(world.logged("authority/refused")[0]["actor"]["why"], "mcp-without-token");
}

#[test]
fn in_a_persons_turn_an_agent_sets_a_goal_through_the_tool_with_a_filler_for_the_bound() {
    let world = World::new();
    let (up, _) = (world.fifo("up"), world.fifo("go"));
    world.script("agent.sh", "cat > /dev/null; [ -z \"$GOALD_ROUND\" ] || exit 0; printf %s \"$GOALD_TOKEN\" > token.txt; echo up > up; cat go");
    world.goal(&["say", "--agent", "./agent.sh", "set yourself a goal"]).exits(0);
    crate::harness::read_fifo(&up);
    let mut mcp = Mcp::start(&world, Some(&world.read("token.txt")));
    assert_eq!(mcp.tool("get_goal", json!({}))["structuredContent"], json!({"goal": null}));
    let made =
        mcp.tool("create_goal", json!({"objective": "tidy up", "max_goal_rounds": 0}))["structuredContent"].clone();
    assert_eq!(
        (made["goal"]["objective"].as_str(), made["goal"]["maxGoalRounds"].as_u64()),
        (Some("tidy up"), Some(256))
    );
    let goal = &made["goal"];
    let pause =
        json!({"goal_id": goal["id"], "revision": goal["revision"], "action": "pause", "objective": "", "summary": ""});
    assert_eq!(mcp.tool("update_goal", pause)["structuredContent"]["goal"]["phase"], "paused");
    let stale = json!({"goal_id": goal["id"], "revision": goal["revision"], "action": "resume"});
    assert_eq!(mcp.tool("update_goal", stale)["structuredContent"]["error"]["code"], "stale-revision");
    std::fs::write(world.work().join("go"), "go").unwrap();
    world.events().next("message/delivered");
}
