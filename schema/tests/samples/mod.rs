//! One literal sample of every event type, or a few where it has shapes; as they stand in a log.

/// (type, data), in the order of the types. Fields in the order they are written.
pub const SAMPLES: &[(&str, &str)] = &[
    (
        "session/opened",
        r#"{"workspace":"/home/u/p","name":"main","profile":{"name":"agent","adapter":{"kind":"command","program":"/bin/agent","args":["-x"],"output":"text"}}}"#,
    ),
    (
        "goal/change",
        r#"{"operation":"create","goal":{"id":"019f0000-0000-7000-8000-000000000001","revision":1,"contentRevision":1,"objective":"make the tests pass","phase":"active","maxGoalRounds":256,"criteria":[{"id":"c1","check":{"kind":"command","spec":{"run":"make test","exitCode":0,"timeoutMs":600000}}}],"limits":{"maxTokens":5},"policy":{"blockedAfterConsecutiveRounds":3,"maxAttempts":5,"retryBaseMs":2000,"roundTimeoutMs":7200000,"idleTimeoutMs":1800000,"afterRestart":"ask"},"agent":{"name":"agent","adapter":{"kind":"command","program":"/bin/agent","args":[],"output":"json-lines"}}},"roundsStarted":0,"createdAt":"2026-12-01T04:56:03.123Z","updatedAt":"2026-12-01T04:56:03.123Z"}"#,
    ),
    (
        "goal/change",
        r#"{"operation":"block","goal":{"id":"019f0000-0000-7000-8000-000000000001","revision":4,"contentRevision":2,"objective":"make the tests pass","phase":"blocked","blockedReason":{"code":"round-limit","message":"all 5 rounds are used up"},"maxGoalRounds":5,"criteria":[],"limits":{},"policy":{"blockedAfterConsecutiveRounds":3,"maxAttempts":5,"retryBaseMs":2000,"roundTimeoutMs":7200000,"idleTimeoutMs":1800000,"afterRestart":"resume","workspaceUse":"shared"},"agent":{"name":"agent","adapter":{"kind":"command","program":"/bin/agent","args":[],"output":"text"}}},"roundsStarted":5,"createdAt":"2026-12-01T04:56:03.123Z","updatedAt":"2026-12-01T05:56:03.123Z"}"#,
    ),
    (
        "goal/change",
        r#"{"operation":"clear","cleared":{"id":"019f0000-0000-7000-8000-000000000001","revision":5},"clearedAt":"2026-12-01T05:56:03.123Z"}"#,
    ),
    ("pause/requested", r#"{"ref":{"id":"019f0000-0000-7000-8000-000000000001","revision":2}}"#),
    ("pause/withdrawn", r#"{"ref":{"id":"019f0000-0000-7000-8000-000000000001","revision":2}}"#),
    (
        "round/admitted",
        r#"{"ref":{"id":"019f0000-0000-7000-8000-000000000001","revision":2},"contentRevision":1,"round":3}"#,
    ),
    (
        "attempt/started",
        r#"{"attempt":"019f0000-0000-7000-8000-00000000000a","turn":{"kind":"round","round":3},"number":1,"given":{"ref":{"id":"019f0000-0000-7000-8000-000000000001","revision":2},"contentRevision":1},"prompt":"0707070707070707070707070707070707070707070707070707070707070707","guard":{"pid":4242,"startTicks":99,"bootId":"b1"},"program":"/bin/agent","version":"1.2","model":"m","permissions":"edits","resumes":"s1"}"#,
    ),
    (
        "attempt/started",
        r#"{"attempt":"019f0000-0000-7000-8000-00000000000b","turn":{"kind":"messages","messages":["019f0000-0000-7000-8000-00000000000c"]},"number":2,"prompt":"0707070707070707070707070707070707070707070707070707070707070707","guard":{"pid":4243,"startTicks":99,"bootId":"b1"},"program":"/bin/agent"}"#,
    ),
    (
        "attempt/ended",
        r#"{"attempt":"019f0000-0000-7000-8000-00000000000a","outcome":{"kind":"failed","failure":{"kind":"transient","message":"overloaded","status":529,"retryAfterMs":30000}},"delivered":"yes","usage":{"inputTokens":1,"cachedInputTokens":2,"cacheWriteTokens":3,"outputTokens":4,"costMicroUsd":5},"workedMs":1000,"agentSession":"s1","finalText":"0707070707070707070707070707070707070707070707070707070707070707","next":{"kind":"retry","at":"2026-12-01T04:57:03.123Z","afterMs":2000},"suppressed":0}"#,
    ),
    (
        "attempt/ended",
        r#"{"attempt":"019f0000-0000-7000-8000-00000000000a","outcome":{"kind":"interrupted","cause":"daemon-stop"},"delivered":"unknown","workedMs":1000,"next":{"kind":"again"},"suppressed":7}"#,
    ),
    (
        "attempt/ended",
        r#"{"attempt":"019f0000-0000-7000-8000-00000000000a","outcome":{"kind":"completed"},"delivered":"yes","workedMs":1000,"next":{"kind":"turn-over"},"suppressed":0}"#,
    ),
    (
        "attempt/ended",
        r#"{"attempt":"019f0000-0000-7000-8000-00000000000a","outcome":{"kind":"lost"},"delivered":"unknown","workedMs":1000,"next":{"kind":"again"},"suppressed":0}"#,
    ),
    ("turn/stopped", r#"{"attempt":"019f0000-0000-7000-8000-00000000000a","cause":"pause"}"#),
    ("round/ended", r#"{"round":3,"how":"finished","fingerprint":"f1"}"#),
    (
        "message/queued",
        r#"{"message":"019f0000-0000-7000-8000-00000000000c","text":"0707070707070707070707070707070707070707070707070707070707070707"}"#,
    ),
    (
        "message/queued",
        r#"{"message":"019f0000-0000-7000-8000-00000000000d","text":"0707070707070707070707070707070707070707070707070707070707070707","interrupts":"019f0000-0000-7000-8000-00000000000a"}"#,
    ),
    (
        "message/delivered",
        r#"{"messages":["019f0000-0000-7000-8000-00000000000c"],"attempt":"019f0000-0000-7000-8000-00000000000b"}"#,
    ),
    ("message/delivered", r#"{"messages":["019f0000-0000-7000-8000-00000000000c"],"failed":{"message":"overloaded"}}"#),
    (
        "claim/made",
        r#"{"attempt":"019f0000-0000-7000-8000-00000000000a","claim":{"kind":"complete","summary":"all pass","artifacts":["a"],"unverified":["b"]}}"#,
    ),
    (
        "claim/refused",
        r#"{"attempt":"019f0000-0000-7000-8000-00000000000a","claim":{"kind":"blocked","reason":"hard"},"why":{"kind":"too-early","missingRounds":2}}"#,
    ),
    (
        "claim/refused",
        r#"{"attempt":"019f0000-0000-7000-8000-00000000000a","claim":{"kind":"blocked","reason":"hard"},"why":{"kind":"stopping"}}"#,
    ),
    (
        "verdict/recorded",
        r#"{"occasion":"round","ref":{"id":"019f0000-0000-7000-8000-000000000001","revision":2},"contentRevision":1,"attempt":"019f0000-0000-7000-8000-00000000000a","claim":{"kind":"blocked","reason":"hard"},"result":"unmet","results":[{"criterion":"c1","met":false,"exitCode":2,"durationMs":12,"outputTail":"0707070707070707070707070707070707070707070707070707070707070707"},{"criterion":"c2","met":false,"trouble":{"kind":"timed-out","afterMs":600000},"durationMs":600000}],"fingerprint":"f1","judge":"j","judgeUsage":{"inputTokens":1,"cachedInputTokens":2,"cacheWriteTokens":3,"outputTokens":4},"workedMs":12}"#,
    ),
    (
        "hold/opened",
        r#"{"hold":"019f0000-0000-7000-8000-00000000000d","on":{"kind":"process","pid":7,"startTicks":8,"bootId":"b1"},"deadline":"2026-12-01T05:56:03.123Z"}"#,
    ),
    ("hold/closed", r#"{"hold":"019f0000-0000-7000-8000-00000000000d","outcome":"met","result":"green"}"#),
    (
        "question/asked",
        r#"{"question":"019f0000-0000-7000-8000-00000000000e","kind":"agent","text":"which one?","choices":["a","b"],"attempt":"019f0000-0000-7000-8000-00000000000a"}"#,
    ),
    (
        "question/answered",
        r#"{"question":"019f0000-0000-7000-8000-00000000000e","reply":{"kind":"answer","text":"a"}}"#,
    ),
    ("question/answered", r#"{"question":"019f0000-0000-7000-8000-00000000000e","reply":{"kind":"dismissed"}}"#),
    ("effect/begun", r#"{"key":"deploy","description":"deploys","attempt":"019f0000-0000-7000-8000-00000000000a"}"#),
    ("effect/finished", r#"{"key":"deploy","attempt":"019f0000-0000-7000-8000-00000000000a","result":"done"}"#),
    ("authority/refused", r#"{"operation":"edit-other","why":"an agent may not"}"#),
    ("permission/suspended", "{}"),
];

/// What may be absent at the top of an event's data.
pub const OPTIONAL: &[&str] = &[
    "attempt/ended agentSession",
    "attempt/ended finalText",
    "attempt/ended usage",
    "attempt/started given",
    "attempt/started model",
    "attempt/started permissions",
    "attempt/started resumes",
    "attempt/started version",
    "hold/closed result",
    "hold/opened deadline",
    "message/delivered attempt",
    "message/delivered failed",
    "message/queued interrupts",
    "question/asked attempt",
    "question/asked choices",
    "round/ended fingerprint",
    "turn/stopped attempt",
    "verdict/recorded attempt",
    "verdict/recorded claim",
    "verdict/recorded fingerprint",
    "verdict/recorded judge",
    "verdict/recorded judgeUsage",
];

/// Types whose data has the same shape.
pub fn alike(one: &str, other: &str) -> bool {
    one.starts_with("pause/") && other.starts_with("pause/")
}
