//! A file system of its own for a test, which can be full or read-only.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

pub struct Disk(PathBuf);

impl Disk {
    /// With options of tmpfs. Only root may mount one: a test without it says that it is not run.
    pub fn new(options: &str) -> Option<Disk> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("glove-disk-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&path).output();
        if !mount.is_ok_and(|output| output.status.success()) {
            eprintln!("not run: only root can mount a small disk");
            let _ = fs::remove_dir(&path);
            return None;
        }
        Some(Disk(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// It is busy while somebody still closes a file of it.
    pub fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        let once = || Command::new("mount").args(["-o", &options]).arg(&self.0).status().unwrap().success();
        assert!((0..200).any(|_| once() || pause()), "{options} is refused");
    }

    /// Until the file is removed.
    pub fn fill(&self) -> PathBuf {
        let ballast = self.file("ballast");
        // It is full when this fails.
        let _ = fs::write(&ballast, vec![0_u8; 64_000_000]);
        ballast
    }
}

fn pause() -> bool {
    sleep(Duration::from_millis(20));
    false
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
        let _ = fs::remove_dir(&self.0);
    }
}
