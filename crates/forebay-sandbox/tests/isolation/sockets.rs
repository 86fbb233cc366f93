//! A run cannot connect to sockets of other processes, except those that its command or a setting names.

use std::os::unix::net::UnixListener;
use std::path::Path;

use forebay_sandbox::Profile;
use forebay_sandbox::isolation::missing_mechanisms;
use forebay_test_support::skip;

use crate::fixture::Fixture;

/// Whether this system has mount namespaces, which the first run shows.
fn has_mounts() -> bool {
    Fixture::new(Profile::Project).run("true").succeeded();
    !missing_mechanisms().contains(&"mount namespaces")
}

fn connect(path: &Path) -> String {
    let program = "socket(S, AF_UNIX, SOCK_STREAM, 0) or die \"socket: $!\\n\"; \
                   connect(S, sockaddr_un($ARGV[0])) or die \"connect: $!\\n\"; print \"connected\\n\"";
    format!("perl -MSocket -e '{program}' {}", path.display())
}

#[test]
fn sockets_of_others_are_closed() {
    if !has_mounts() {
        return skip("no mount namespaces");
    }
    let temp = tempfile::tempdir().unwrap();
    for profile in [Profile::Project, Profile::Strict] {
        let fixture = Fixture::new(profile);
        for path in [temp.path().join(format!("{profile}.sock")), fixture.path("elsewhere/x.sock")]
        {
            let _listener = UnixListener::bind(&path).unwrap();
            let run = fixture.run(&connect(&path));
            assert!(
                !run.finished.ending.is_success(),
                "{profile} {}: {}",
                path.display(),
                run.text
            );
        }
    }
}

#[test]
fn a_socket_is_reached_by_no_other_name() {
    if !has_mounts() {
        return skip("no mount namespaces");
    }
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("folder/x.sock");
    std::fs::create_dir(temp.path().join("folder")).unwrap();
    let _listener = UnixListener::bind(&path).unwrap();
    let fixture = Fixture::new(Profile::Project);
    let at = temp.path().display();
    for trick in [
        format!("ln -s {at}/folder/x.sock link; ln -sn {at}/folder dir; "),
        format!("ln {at}/folder/x.sock {at}/hard; "),
        format!("mv {at}/folder {at}/moved; "),
    ] {
        for name in ["link", "dir/x.sock"] {
            let run = fixture.run(&format!("{trick}{}", connect(Path::new(name))));
            assert!(!run.text.contains("connected"), "{trick}: {}", run.text);
        }
        for name in ["hard", "moved/x.sock", "folder/x.sock"] {
            let run = fixture.run(&format!("{trick}{}", connect(&temp.path().join(name))));
            assert!(!run.text.contains("connected"), "{trick}: {}", run.text);
        }
        let _ = std::fs::rename(temp.path().join("moved"), temp.path().join("folder"));
    }
}

#[test]
fn sockets_of_the_project_and_of_the_run_are_open() {
    let fixture = Fixture::new(Profile::Project);
    let path = fixture.path("project/server.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    assert_eq!(fixture.run(&connect(&path)).succeeded(), "connected\n");
    let temp = tempfile::tempdir().unwrap();
    for path in [fixture.path("project/own.sock"), temp.path().join("own.sock")] {
        let listen = format!(
            "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un($ARGV[0])) or die $!; \
             listen(S, 5); accept(C, S)' {} & until [ -S {} ]; do :; done; sleep 0.1; ",
            path.display(),
            path.display()
        );
        let run = fixture.run(&format!("{listen}{}", connect(&path)));
        assert_eq!(run.succeeded(), "connected\n", "{}", path.display());
    }
}

#[test]
fn a_setting_or_the_name_of_a_tool_opens_a_socket() {
    let mut fixture = Fixture::new(Profile::Project);
    let path = fixture.path("elsewhere/x.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    fixture.isolation.sockets = vec![fixture.path("elsewhere")];
    assert_eq!(fixture.run(&connect(&path)).succeeded(), "connected\n");
    std::fs::create_dir(fixture.path(".gnupg")).unwrap();
    let agent = fixture.path(".gnupg/S.gpg-agent");
    let _agent = UnixListener::bind(&agent).unwrap();
    if has_mounts() {
        assert!(!fixture.run(&connect(&agent)).text.contains("connected"));
    }
    fixture.isolation.programs = vec!["gpg".to_owned()];
    assert_eq!(fixture.run(&connect(&agent)).succeeded(), "connected\n");
}
