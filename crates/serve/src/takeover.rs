//! What servers with one database do for each other: the work of one that ended or died is gone on with by another.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::forward::NotLocal;
use super::sessions::{LOOK, Sessions};

/// One that cannot be opened is not tried with each look.
const AGAIN: Duration = Duration::from_secs(5);

/// Looks several times a second, as long as it runs.
pub(super) async fn watch(sessions: Arc<Sessions>) {
    let mut is_told = false;
    let mut tried: Vec<(String, Instant)> = Vec::new();
    loop {
        sessions.let_lost_go();
        match sessions.shared.database.abandoned().await {
            Ok(abandoned) => {
                is_told = false;
                tried.retain(|(_, at)| at.elapsed() < AGAIN);
                for id in abandoned {
                    if sessions.is_open(&id) || tried.iter().any(|(known, _)| *known == id) {
                        continue;
                    }
                    tried.push((id.clone(), Instant::now()));
                    let sessions = Arc::clone(&sessions);
                    tokio::spawn(async move { take_over(&sessions, &id).await });
                }
            }
            // Said once, and not four times a second.
            Err(error) if !is_told => {
                is_told = true;
                (sessions.shared.log)(&format!("sessions of other servers cannot be seen: {error}"));
            }
            Err(_) => {}
        }
        sleep(LOOK).await;
    }
}

/// What it was doing goes on by itself once it is open. Another server may be faster.
async fn take_over(sessions: &Sessions, id: &str) {
    if let Err(NotLocal::Refused(refusal)) = sessions.get(id).await {
        (sessions.shared.log)(&format!(
            "a session could not be taken over: {}: {}",
            refusal.code, refusal.detail
        ));
    }
}
