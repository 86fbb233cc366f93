//! The link of the dashboard: it works once, and only its user can read it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::sync::Barrier;

use rustix::process::{Pid, Signal, kill_process};

use crate::env::{HANG_TIMEOUT, TestEnv, wait_until};
use crate::http_client::Response;

#[test]
fn of_browsers_that_open_the_link_at_once_one_is_served() {
    const BROWSERS: usize = 12;
    let env = TestEnv::new();
    let ui = env.start_ui(&[]);
    let opening = ui.opening().bytes();
    let start = Barrier::new(BROWSERS);
    let open = || {
        let mut stream = ui.connect();
        start.wait();
        stream.write_all(&opening).unwrap();
        let response = Response::read(stream);
        assert_eq!(response.status == 200, response.header("set-cookie").is_some());
        response.status
    };
    let mut statuses = std::thread::scope(|scope| {
        let browsers: Vec<_> = (0..BROWSERS).map(|_| scope.spawn(open)).collect();
        browsers.into_iter().map(|browser| browser.join().unwrap()).collect::<Vec<u16>>()
    });
    statuses.sort_unstable();
    let mut expected = vec![401; BROWSERS];
    expected[0] = 200;
    assert_eq!(statuses, expected);
}

/// Every user can read the arguments of a process, so the opener gets a file; it ends with the dashboard.
#[test]
fn the_opener_gets_the_link_in_a_file_that_only_its_user_can_read() {
    let env = TestEnv::outside_temp();
    let folder = env.root().join("bin");
    fs::create_dir(&folder).unwrap();
    let opener = folder.join("xdg-open");
    // Its last word shows that the others are written.
    let script = "#!/bin/sh\ncd \"${0%/*}\"\nstat -c %a \"$1\" > mode\ncat \"$1\" > page\necho \"$*\" > words\n";
    fs::write(&opener, script).unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut command = env.command(["ui"]);
    let mut child = command.env("PATH", path).env("DISPLAY", ":0").spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let link = line.trim().strip_prefix("dashboard: ").unwrap();
    let (_, token) = link.split_once("token=").unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    assert!(wait_until(HANG_TIMEOUT, || read("words").ends_with('\n')), "it is opened");
    assert_eq!(read("mode"), "600\n");
    assert!(read("page").contains(link), "{}", read("page"));
    let words = read("words");
    let file = words.trim();
    assert!(!words.contains(token) && fs::exists(file).unwrap(), "{words}");
    let data = env.data().metadata().unwrap().permissions().mode() & 0o777;
    assert!(file.starts_with(env.data().to_str().unwrap()) && data == 0o700, "{file}: {data:o}");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    child.wait().unwrap();
    assert!(!fs::exists(file).unwrap(), "it is gone with the dashboard");
}
