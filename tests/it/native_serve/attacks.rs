//! What no client of ours sends.

use std::io::Write;

use super::*;

/// The status and the body of what is answered to these bytes; 0 where the connection is closed without an answer.
fn told(running: &Running, bytes: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(running.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The server may have refused it before its end.
    let _ = stream.write_all(bytes);
    let text = rest(&mut stream);
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

fn head(method: &str, path: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{more}\r\n")
}

#[test]
fn a_request_that_is_no_http_or_says_two_things_is_refused_and_the_server_goes_on() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    let json = "content-type: application/json\r\n";
    let table = [
        ("nonsense", "hello\r\n\r\n".to_owned(), 400),
        (
            "two lengths",
            head("POST", "/api/chat", &format!("{json}content-length: 5\r\ncontent-length: 6\r\n")),
            400,
        ),
        ("no length", head("POST", "/api/chat", &format!("{json}content-length: -1\r\n")), 400),
        (
            "a line in a header",
            "GET /metrics HTTP/1.1\r\nhost: localhost\r\nx: a\r b\r\n\r\n".to_owned(),
            400,
        ),
        ("many headers", head("GET", "/metrics", &"x: y\r\n".repeat(200)), 431),
    ];
    for (what, bytes, expected) in table {
        assert_eq!(told(&running, bytes.as_bytes()).0, expected, "{what}");
    }
    // The answer can be lost, because the connection is closed while the rest of the header comes.
    let large = head("GET", "/metrics", &format!("x: {}\r\n", "y".repeat(2 << 20)));
    assert!([431, 0].contains(&told(&running, large.as_bytes()).0));
    assert_eq!(running.ask("GET", "/healthz", &[], None).0, 200);
}

#[test]
fn a_body_in_pieces_is_held_to_the_same_limit() {
    let folder = Folder::new();
    let limits = ServerLimits { body_bytes: 1000, ..Default::default() };
    let running = Running::start(server(&folder, model()).limits(limits));
    let start = head("POST", "/api/chat", "content-type: application/json\r\ntransfer-encoding: chunked\r\n");
    let chunks: String = HI
        .as_bytes()
        .chunks(7)
        .map(|piece| format!("{:x}\r\n{}\r\n", piece.len(), String::from_utf8_lossy(piece)))
        .collect();
    let (status, text) = told(&running, format!("{start}{chunks}0\r\n\r\n").as_bytes());
    assert_eq!(status, 200);
    assert!(text.contains("Hello "), "{text}");
    let endless = start + &format!("64\r\n{}\r\n", " ".repeat(100)).repeat(20);
    let (status, text) = told(&running, endless.as_bytes());
    assert_eq!((status, text.contains("BODY_TOO_LARGE")), (413, true), "{text}");
}

#[test]
fn paths_are_taken_as_they_are_written() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    let id = running.begin("hi");
    for path in [
        "/api/sessions/%2e%2e".to_owned(),
        "/api/sessions/..%2f..%2fetc%2fpasswd".to_owned(),
        "/api/sessions/../../etc/passwd".to_owned(),
        format!("/api/sessions/{id}%00"),
        format!("/api/sessions/{id}/"),
        format!("/api//sessions/{id}"),
        "//api/chat".to_owned(),
        "/API/chat".to_owned(),
    ] {
        let (status, text) = told(&running, head("GET", &path, "").as_bytes());
        assert_eq!(status, 404, "{path}: {text}");
        assert!(text.contains("SESSION_UNKNOWN") || text.contains("NOT_FOUND"), "{path}: {text}");
    }
    assert_eq!(running.json("GET", &format!("/api/sessions/{id}?x=1"), None).0, 200);
}

#[test]
fn methods_that_are_not_taken_are_refused_without_a_permission_for_other_origins() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    for method in ["HEAD", "OPTIONS", "PUT", "PATCH", "TRACE", "BREW"] {
        let bytes = head(
            method,
            "/api/chat",
            "origin: https://evil.example\r\naccess-control-request-method: POST\r\n",
        );
        let mut stream = TcpStream::connect(running.address).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        let text = rest(&mut stream);
        assert!(text.starts_with("HTTP/1.1 405 "), "{method}: {text}");
        assert!(!text.to_ascii_lowercase().contains("access-control-allow"), "{text}");
    }
}

/// What a form or an image of a page elsewhere sends without being asked first.
#[test]
fn pages_of_other_origins_change_nothing_where_nobody_has_to_sign_in() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    let id = running.begin("hi");
    let port = running.address.port();
    let asked = |method: &str, rest: &str, headers: &str| {
        let path = format!("/api/sessions/{id}{rest}");
        told(&running, head(method, &path, headers).as_bytes())
    };
    for headers in [
        "sec-fetch-site: cross-site\r\norigin: https://evil.example\r\n",
        "sec-fetch-site: same-site\r\norigin: http://localhost:1\r\n",
        "sec-fetch-site: cross-site\r\n",
        "origin: https://evil.example\r\n",
        "origin: https://localhost.evil.example\r\n",
        "origin: http://[::1].evil.example\r\n",
        "origin: http://93.184.216.34\r\n",
        "origin: null\r\n",
        "origin: \r\n",
    ] {
        for (method, rest) in [("POST", "/stop"), ("POST", "/resume"), ("DELETE", "")] {
            let (status, text) = asked(method, rest, headers);
            assert_eq!(
                (status, text.contains("FORBIDDEN")),
                (403, true),
                "{method} {rest} {headers}: {text}"
            );
        }
    }
    let own = format!("origin: http://localhost:{port}\r\n");
    for headers in ["", "sec-fetch-site: same-origin\r\n", "sec-fetch-site: none\r\n", &own] {
        let (status, text) = asked("POST", "/stop", headers);
        assert_eq!(status, 202, "{headers}: {text}");
    }
}

#[test]
fn a_client_that_never_reads_holds_up_nobody() {
    let folder = Folder::new();
    let piece = "x".repeat(50_000);
    let long = ScriptedModel::by(move |_, _: &Seen| Line::deltas(std::iter::repeat_n(piece.as_str(), 100)));
    let running = Running::start(server(&folder, long));
    let silent: Vec<_> = (0..8).map(|_| running.open("POST", "/api/chat", &[], Some(HI))).collect();
    assert_eq!(running.ask("GET", "/healthz", &[], None).0, 200);
    let (status, text) = running.ask("POST", "/api/chat", &[], Some(HI));
    assert_eq!((status, text.contains("\"done\"")), (200, true));
    drop(silent);
}
