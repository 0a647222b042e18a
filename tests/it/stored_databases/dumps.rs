//! Databases as text, and back.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;

use crate::native_postgres::{program, sql};

/// Its tables and rows, and the number of its form.
pub fn of_sqlite(file: &Path) -> String {
    let connection = Connection::open(file).unwrap();
    let texts = |query: &str| -> Vec<String> {
        let mut statement = connection.prepare(query).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let mut lines = texts("SELECT 'PRAGMA user_version = ' || user_version || ';' FROM pragma_user_version");
    lines.extend(texts(
        "SELECT sql || ';' FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    ));
    // SQLite keeps its own tables when the rows are written again.
    let tables =
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    for table in texts(tables) {
        let columns = texts(&format!("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')"));
        let values = columns.join(" || ', ' || ");
        lines.extend(texts(&format!(
            "SELECT 'INSERT INTO {table} VALUES (' || {values} || ');' FROM {table}"
        )));
    }
    lines.extend(texts("SELECT sql || ';' FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"));
    lines.join("\n") + "\n"
}

pub fn into_sqlite(file: &Path, dump: &str) {
    let connection = Connection::open(file).unwrap();
    // A row may come before the one that it names.
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute_batch(dump).unwrap();
}

/// Each table and index with its columns, in an order that does not depend on when a column was added.
pub fn form_of_sqlite(file: &Path) -> Vec<String> {
    let connection = Connection::open(file).unwrap();
    let columns = "SELECT m.name || ' ' || c.name || ' ' || c.type || ' not null ' || c.\"notnull\" || ' key ' || c.pk || ' default ' || coalesce(c.dflt_value, '-')
        FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
        UNION ALL SELECT l.tbl_name || ' index ' || l.name || ' ' || i.seqno || ' ' || i.name FROM sqlite_master l, pragma_index_info(l.name) i WHERE l.type = 'index'
        ORDER BY 1";
    let mut statement = connection.prepare(columns).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Without what only servers of one version understand.
pub fn of_postgres(url: &str) -> String {
    let mut dump = Command::new(program("pg_dump").unwrap());
    let dump = dump.args([url, "--inserts", "--no-owner", "--no-privileges"]).output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    let text = String::from_utf8(dump.stdout).unwrap();
    let of_one = ["\\restrict", "\\unrestrict", "SET transaction_timeout", "-- Dumped"];
    text.lines().filter(|line| !of_one.iter().any(|start| line.starts_with(start))).fold(
        String::new(),
        |mut all, line| {
            // Several empty lines say no more than one.
            if !(line.is_empty() && (all.is_empty() || all.ends_with("\n\n"))) {
                all.push_str(line);
                all.push('\n');
            }
            all
        },
    )
}

/// Its columns, indexes, constraints and functions.
pub fn form_of_postgres(url: &str) -> String {
    sql(
        url,
        "SELECT table_name || ' ' || column_name || ' ' || data_type || ' null ' || is_nullable || ' default ' || coalesce(column_default, identity_generation, '-')
           FROM information_schema.columns WHERE table_schema = 'public'
         UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
         UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
         UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
         UNION ALL SELECT 'version ' || version FROM glove_version
         ORDER BY 1",
    )
}

pub fn into_postgres(url: &str, dump: &str) {
    let mut psql = Command::new(program("psql").unwrap());
    told(psql.args([url, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-1", "-f", "-"]), dump);
}

/// The commands that write all its keys again, one a line.
pub fn of_redis(port: u16) -> String {
    let keys = redis(port, "KEYS glove:*\n");
    let mut keys: Vec<&str> = keys.lines().map(quoted).collect();
    keys.sort_unstable();
    keys.iter().fold(String::new(), |all, key| {
        let kind = redis(port, &format!("TYPE {key}\n"));
        let (read, write) = match kind.trim() {
            "hash" => ("HGETALL", "HSET"),
            "list" => ("LRANGE", "RPUSH"),
            "zset" => ("ZRANGE", "ZADD"),
            "string" => ("GET", "SET"),
            other => panic!("{key} is a {other}"),
        };
        let range = match read {
            "LRANGE" => " 0 -1",
            "ZRANGE" => " 0 -1 WITHSCORES",
            _ => "",
        };
        let values = redis(port, &format!("{read} {key}{range}\n"));
        let mut values: Vec<&str> = values.lines().map(quoted).collect();
        if read == "ZRANGE" {
            // It is told the score first.
            values.chunks_exact_mut(2).for_each(|pair| pair.reverse());
        }
        format!("{all}{write} {key} {}\n", values.join(" "))
    })
}

/// Its keys with their kind, and each field of a hash.
pub fn form_of_redis(dump: &str) -> BTreeSet<String> {
    let mut form = BTreeSet::new();
    for line in dump.lines() {
        let words = words(line);
        let [write, key, values @ ..] = &words[..] else { panic!("{line}") };
        form.insert(format!("{write} {key}"));
        if *write == "HSET" {
            form.extend(values.iter().step_by(2).map(|field| format!("{key} {field}")));
        }
    }
    form
}

/// What spaces separate, but for those in quotes.
fn words(line: &str) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    line.split(|letter| {
        let ends = letter == ' ' && !quoted;
        quoted ^= letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    })
    .collect()
}

/// A line of `redis-cli --no-raw` without its number.
fn quoted(line: &str) -> &str {
    line.find('"').map_or(line, |from| &line[from..])
}

pub fn into_redis(port: u16, dump: &str) {
    let said = redis(port, dump);
    assert_eq!(said.lines().count(), dump.lines().count(), "{said}");
    assert!(!said.contains("(error)"), "{said}");
}

fn redis(port: u16, commands: &str) -> String {
    told(Command::new("redis-cli").args(["--no-raw", "-p", &port.to_string()]), commands)
}

/// What the program answers to its input.
fn told(command: &mut Command, input: &str) -> String {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let done = process.wait_with_output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}
