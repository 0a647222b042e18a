//! A line to a database that loses answers.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A line to the database that loses the answers of so many calls with this word: they are done, and nobody hears it.
pub fn losing_line(port: u16, word: &'static str, losses: &Arc<AtomicUsize>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    let losses = Arc::clone(losses);
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let database = TcpStream::connect(("127.0.0.1", port)).unwrap();
            let appends = Arc::new(AtomicUsize::new(0));
            let (asking, answering) = (client.try_clone().unwrap(), database.try_clone().unwrap());
            let (asked, losses) = (Arc::clone(&appends), Arc::clone(&losses));
            thread::spawn(move || {
                pass(asking, database, |bytes| {
                    let is_append = bytes.windows(word.len()).any(|found| found == word.as_bytes());
                    asked.store(usize::from(is_append), Ordering::SeqCst);
                    true
                });
            });
            thread::spawn(move || {
                pass(answering, client, |_| {
                    let loses = appends.load(Ordering::SeqCst) == 1
                        && losses
                            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
                            .is_ok();
                    // The database has answered: the step is written.
                    !loses
                });
            });
        }
    });
    own
}

fn pass(mut from: TcpStream, mut to: TcpStream, passes: impl Fn(&[u8]) -> bool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if !passes(&buffer[..count]) || to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
