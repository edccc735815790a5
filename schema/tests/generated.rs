//! `schema/json/` is what the types say. `GOALD_UPDATE_SCHEMAS=1 cargo test -p goald-schema` writes it anew.

use std::path::Path;

#[test]
fn the_checked_in_json_schemas_are_what_the_types_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("json");
    let mut names = Vec::new();
    for (name, document) in goald_schema::export::documents() {
        let path = folder.join(name);
        let mut text = serde_json::to_string_pretty(&document).expect("a JSON value can be written");
        text.push('\n');
        if std::env::var_os("GOALD_UPDATE_SCHEMAS").is_some() {
            std::fs::write(&path, &text).expect("the folder can be written");
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            stored == text,
            "{name} has drifted from the types: run GOALD_UPDATE_SCHEMAS=1 cargo test -p goald-schema"
        );
        names.push(name.to_owned());
    }
    let mut stored: Vec<String> = std::fs::read_dir(&folder)
        .expect("schema/json exists")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    stored.sort();
    names.sort();
    assert_eq!(stored, names, "schema/json holds exactly the generated documents");
}
