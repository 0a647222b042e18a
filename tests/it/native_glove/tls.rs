//! Databases that are reached by TLS, with a certificate of one's own authority.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::getuid;

use super::{Home, stderr};
use crate::native_postgres::{NOBODY, PostgresServer};
use crate::native_redis::RedisServer;

/// `ca.pem`, and a key with a certificate for `localhost` alone. False where openssl is not installed, which is printed.
fn certificates(home: &Home) -> bool {
    let openssl = |line: &str| {
        let mut command = Command::new("openssl");
        command.args(line.split(' ')).current_dir(&home.path).stdout(Stdio::null()).stderr(Stdio::null());
        command.status()
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for line in [
        format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=ca -days 2"),
        format!("req {key} -keyout server.key -out server.csr -subj /CN=localhost -addext subjectAltName=DNS:localhost"),
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -copy_extensions copy".to_owned(),
    ] {
        match openssl(&line) {
            Ok(status) => assert!(status.success(), "openssl {line}"),
            Err(_) => {
                eprintln!("skipped: openssl is not installed");
                return false;
            }
        }
    }
    true
}

/// The program trusts the authority that it is given, no other one, and no other name.
fn is_trusted_by_its_authority_alone(home: &Home, url: &str) {
    let sessions = |url: &str, authority: Option<&Path>| {
        let mut command = home.glove(&["sessions", "--json"]);
        command.env("GLOVE_DATABASE", url);
        if let Some(authority) = authority {
            command.env("SSL_CERT_FILE", authority);
        }
        command.output().unwrap()
    };
    let authority = home.file("ca.pem");
    let trusted = sessions(url, Some(&authority));
    assert!(trusted.status.success(), "{url}: {}", stderr(&trusted));
    for refused in [sessions(url, None), sessions(&url.replace("localhost", "127.0.0.1"), Some(&authority))] {
        assert!(!refused.status.success(), "{url}");
        let why = stderr(&refused);
        assert!(why.contains("certificate") && !why.contains("s3cret"), "{url}: {why}");
    }
}

#[test]
fn redis_is_reached_by_tls_where_its_certificate_is_good() {
    let home = Home::new();
    if !certificates(&home) {
        return;
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let file = |name: &str| home.file(name).to_str().unwrap().to_owned();
    let settings = [
        ["--appendonly".to_owned(), "yes".to_owned()],
        ["--tls-port".to_owned(), port.to_string()],
        ["--tls-cert-file".to_owned(), file("server.pem")],
        ["--tls-key-file".to_owned(), file("server.key")],
        ["--tls-ca-cert-file".to_owned(), file("ca.pem")],
        ["--tls-auth-clients".to_owned(), "no".to_owned()],
    ];
    let settings: Vec<&'static str> =
        settings.into_iter().flatten().map(|word| &*Box::leak(word.into_boxed_str())).collect();
    let Some(_redis) = RedisServer::with(&settings) else { return };
    is_trusted_by_its_authority_alone(&home, &format!("rediss://localhost:{port}"));
}

#[test]
fn postgresql_is_reached_by_tls_where_its_certificate_is_good() {
    let home = Home::new();
    if !certificates(&home) {
        return;
    }
    let Some(postgres) = PostgresServer::start() else { return };
    let key = home.file("server.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    if getuid().is_root() {
        chown(&key, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    for (setting, value) in
        [("ssl_cert_file", home.file("server.pem")), ("ssl_key_file", key), ("ssl", "on".into())]
    {
        postgres.sql(&format!("ALTER SYSTEM SET {setting} = '{}'", value.display()));
    }
    postgres.stop();
    postgres.run();
    let url = postgres.url().replace("127.0.0.1", "localhost");
    is_trusted_by_its_authority_alone(&home, &format!("{url}?sslmode=require"));
}
