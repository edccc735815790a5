//! The JSON Schemas of events and protocol, generated from the types. `schema/json/` holds them; a test fails when they
//! drift.

use crate::doctor::{DoctorReport, Recovered};
use crate::error::WireError;
use crate::event::EventRecord;
use crate::protocol::frame::{Notification, Request, Response};
use crate::protocol::{Call, agent, block, clear, complete, create, daemon, edit, hello, list, log, output};
use crate::protocol::{pause, purge, resume, rounds, say, status, wait};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

fn schema<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

fn method<C: Call>(methods: &mut Map<String, Value>)
where
    C::Params: JsonSchema,
    C::Reply: JsonSchema,
{
    methods.insert(C::METHOD.to_owned(), json!({"params": schema::<C::Params>(), "reply": schema::<C::Reply>()}));
}

/// Every generated document: file name and content.
pub fn documents() -> Vec<(&'static str, Value)> {
    let mut methods = Map::new();
    method::<hello::Hello>(&mut methods);
    method::<status::GetStatus>(&mut methods);
    method::<create::Create>(&mut methods);
    method::<edit::Edit>(&mut methods);
    method::<pause::Pause>(&mut methods);
    method::<resume::Resume>(&mut methods);
    method::<complete::Complete>(&mut methods);
    method::<block::Block>(&mut methods);
    method::<clear::Clear>(&mut methods);
    method::<say::Say>(&mut methods);
    method::<list::List>(&mut methods);
    method::<log::ReadLog>(&mut methods);
    method::<log::SubscribeLog>(&mut methods);
    method::<rounds::Rounds>(&mut methods);
    method::<output::ReadOutput>(&mut methods);
    method::<output::SubscribeOutput>(&mut methods);
    method::<wait::Wait>(&mut methods);
    method::<purge::Purge>(&mut methods);
    method::<agent::AgentComplete>(&mut methods);
    method::<agent::AgentBlocked>(&mut methods);
    method::<daemon::DaemonStatus>(&mut methods);
    method::<daemon::DaemonStop>(&mut methods);
    let notifications = json!({
        log::LOG_EVENT: schema::<EventRecord>(),
        log::LOG_END: schema::<WireError>(),
        output::OUTPUT_CHUNK: schema::<output::OutputChunk>(),
        output::OUTPUT_END: schema::<output::OutputEnd>(),
    });
    let frames = json!({
        "request": schema::<Request>(),
        "response": schema::<Response>(),
        "notification": schema::<Notification>(),
    });
    vec![
        ("event.json", schema::<EventRecord>()),
        ("error.json", schema::<WireError>()),
        ("doctor.json", schema::<DoctorReport>()),
        ("recovered.json", schema::<Recovered>()),
        (
            "protocol.json",
            json!({
                "version": crate::protocol::PROTOCOL_VERSION,
                "maxFrameBytes": crate::protocol::MAX_FRAME_BYTES,
                "frames": frames,
                "methods": methods,
                "notifications": notifications,
            }),
        ),
    ]
}
