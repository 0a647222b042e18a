//! Entries of a memory by what they mean, where the application can embed texts.

use std::cmp::Ordering;
use std::collections::HashMap;

use rusqlite::{Connection, params};

pub(crate) const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS memory_vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);";

/// What is farther away says nothing.
const LEAST: f32 = 0.2;
/// A question reads the vectors of so many entries of a channel, the newest.
const MOST: u32 = 2_000;
/// The usual number of reciprocal rank fusion: how much the first places count more.
const FLATNESS: f64 = 60.0;

/// One of unit length; nothing where none can be made: the words find the entry all the same.
pub(crate) fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    let is_one = length.is_finite() && length > 0.0;
    is_one.then(|| vector.iter().map(|part| part / length).collect())
}

pub(crate) fn put(change: &Connection, number: i64, vector: &[f32]) -> rusqlite::Result<()> {
    let bytes: Vec<u8> = vector.iter().flat_map(|part| part.to_le_bytes()).collect();
    change
        .execute(
            "INSERT OR REPLACE INTO memory_vectors (number, vector) VALUES (?1, ?2)",
            params![number, bytes],
        )
        .map(drop)
}

pub(crate) fn remove(change: &Connection, number: i64) -> rusqlite::Result<()> {
    change.execute("DELETE FROM memory_vectors WHERE number = ?1", [number]).map(drop)
}

/// The numbers of the nearest entries of a channel, the best first. Vectors of another model do not count.
pub(crate) fn nearest(connection: &Connection, scope: &str, asked: &[f32]) -> rusqlite::Result<Vec<i64>> {
    let mut asking = connection.prepare_cached(
        "SELECT m.number, v.vector FROM memory AS m JOIN memory_vectors AS v ON v.number = m.number \
         WHERE m.scope = ?1 ORDER BY m.number DESC LIMIT ?2",
    )?;
    let mut rows = asking.query(params![scope, MOST])?;
    let mut found: Vec<(i64, f32)> = Vec::new();
    while let Some(row) = rows.next()? {
        let bytes: Vec<u8> = row.get(1)?;
        if bytes.len() != size_of_val(asked) {
            continue;
        }
        let (parts, _) = bytes.as_chunks();
        let nearness = parts.iter().zip(asked).map(|(part, asked)| f32::from_le_bytes(*part) * asked).sum();
        if nearness >= LEAST {
            found.push((row.get(0)?, nearness));
        }
    }
    found.sort_by(|(a, x), (b, y)| y.partial_cmp(x).unwrap_or(Ordering::Equal).then(a.cmp(b)));
    Ok(found.into_iter().map(|(number, _)| number).collect())
}

/// Two orders as one.
pub(crate) fn fused(orders: [&[i64]; 2]) -> Vec<i64> {
    let mut scores: HashMap<i64, f64> = HashMap::new();
    for (place, number) in orders.into_iter().flat_map(|order| order.iter().enumerate()) {
        let counts = 1.0 / (FLATNESS + f64::from(u32::try_from(place).unwrap_or(u32::MAX)));
        *scores.entry(*number).or_default() += counts;
    }
    let mut scores: Vec<(i64, f64)> = scores.into_iter().collect();
    scores.sort_by(|(a, x), (b, y)| y.partial_cmp(x).unwrap_or(Ordering::Equal).then(a.cmp(b)));
    scores.into_iter().map(|(number, _)| number).collect()
}
