//! Processes that a run did not start: their limits and their shared memory.

use std::fs;
use std::process::{Child, Command};

use forebay_sandbox::Profile;

use crate::fixture::{Fixture, is_enforced};

/// A process outside of the run, and what it shares with others.
struct Victim {
    process: Child,
    /// Memory with a name.
    memory: tempfile::NamedTempFile,
    /// The id of System V memory.
    segment: String,
}

impl Victim {
    #[expect(clippy::disallowed_methods, reason = "it must not be started as a run")]
    fn start() -> Option<Self> {
        let memory = tempfile::Builder::new().prefix("forebay-test-").tempfile_in("/dev/shm");
        let created = Command::new("ipcmk").args(["--shmem", "100"]).output();
        let (Ok(memory), Ok(created)) = (memory, created) else {
            forebay_test_support::skip("no /dev/shm or no util-linux");
            return None;
        };
        fs::write(&memory, "of another process\n").unwrap();
        let said = String::from_utf8(created.stdout).unwrap();
        let segment = said.split_whitespace().last().unwrap().to_owned();
        let process = Command::new("sleep").arg("60").spawn().unwrap();
        Some(Self { process, memory, segment })
    }

    fn limits(&self) -> String {
        fs::read_to_string(format!("/proc/{}/limits", self.process.id())).unwrap()
    }
}

impl Drop for Victim {
    #[expect(clippy::disallowed_methods, reason = "it was not started as a run")]
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = Command::new("ipcrm").args(["--shmem-id", &self.segment]).status();
    }
}

#[test]
fn limits_of_others_cannot_be_set() {
    let Some(victim) = Victim::start().filter(|_| is_enforced()) else { return };
    let before = victim.limits();
    let limit = format!("prlimit --pid {} --core=0", victim.process.id());
    for profile in [Profile::Project, Profile::Strict] {
        let fixture = Fixture::new(profile);
        fixture.run(&limit).was_denied();
        assert_eq!(victim.limits(), before, "{profile}");
        fixture.run("ulimit -n 50 && prlimit --nofile=40 true").succeeded();
    }
    Fixture::new(Profile::Off).run(&limit).succeeded();
}

#[test]
fn memory_of_others_is_out_of_reach() {
    let Some(victim) = Victim::start().filter(|_| is_enforced()) else { return };
    let path = victim.memory.path().display();
    let reading = format!("cat {path}");
    let segment = format!("ipcs --shmems --id {} | grep -q bytes", victim.segment);
    for profile in [Profile::Project, Profile::Strict] {
        let fixture = Fixture::new(profile);
        assert!(!fixture.run(&reading).finished.ending.is_success(), "{profile}");
        assert!(!fixture.run(&segment).finished.ending.is_success(), "{profile}");
        // A name that others use is free here, and what the run writes there is gone with it.
        fixture.run(&format!("echo own > {path} && cat {path} && ipcmk --shmem 10")).succeeded();
        assert_eq!(fs::read_to_string(&victim.memory).unwrap(), "of another process\n");
    }
    let open = Fixture::new(Profile::Off);
    open.run(&reading).succeeded();
    open.run(&segment).succeeded();
}

#[test]
fn a_setting_shares_memory_with_others() {
    let Some(victim) = Victim::start().filter(|_| is_enforced()) else { return };
    let mut fixture = Fixture::new(Profile::Project);
    fixture.isolation.write = vec!["/dev/shm".into()];
    fixture.run(&format!("cat {}", victim.memory.path().display())).succeeded();
}
