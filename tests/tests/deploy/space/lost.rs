//! A data space whose servers have been requested: a command is interrupted while they boot, and its record of them is
//! lost.

use std::io::BufRead as _;

use super::*;

/// Waits until the servers exist in the cloud and boot, which never ends. Then signals the command, and returns its
/// output.
fn signalled_while_they_boot(beginner: &Beginner, args: &[&str], signal: &str) -> String {
    let mut making = beginner.command(args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    let mut err = std::io::BufReader::new(making.stderr.take().unwrap());
    while !said.contains("the servers boot") {
        assert_ne!(err.read_line(&mut said).unwrap(), 0, "{said}");
    }
    // By now, the command is polling the servers.
    std::thread::sleep(Duration::from_millis(500));
    assert!(Command::new("kill").args([signal, &making.id().to_string()]).status().unwrap().success());
    let signalled = Instant::now();
    let status = loop {
        if let Some(status) = making.try_wait().unwrap() {
            break status;
        }
        if signalled.elapsed() > Duration::from_secs(5) {
            making.kill().unwrap();
            making.wait().unwrap();
            panic!("{signal} is not listened to: {said}");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    said += &std::io::read_to_string(err).unwrap();
    assert_eq!(status.code(), Some(1), "{signal}: {said}");
    said
}

#[test]
fn whoever_is_told_to_end_ends_and_what_was_lost_is_not_taken_for_deleted() {
    let beginner = Beginner::new();
    beginner.network("here", &format!("{NETWORK}.0/24"));
    let folder = beginner.stage.path().join("wattle-space");
    let said = signalled_while_they_boot(&beginner, &["space", "new", "--network", "here", "--yes"], "-INT");
    assert!(said.contains("nothing is lost: `wattle space new wattle-space` continues"), "{said}");
    for signal in ["-TERM", "-HUP"] {
        let said = signalled_while_they_boot(&beginner, &["space", "new", "--yes"], signal);
        assert!(said.contains("continues") && !said.contains("created"), "{said}");
    }
    let count = || beginner.cloud.world().servers().len();
    assert_eq!(count(), 3);
    let name = beginner.cloud.world().servers()[0].name.clone();
    let mark = name.rsplit_once("-zookeeper").map(|(mark, _)| mark.to_owned()).unwrap();

    let log = fs::read(folder.join("space.log")).unwrap();
    let refused = |args: &[&str]| {
        let ran = beginner.ask(args);
        assert!(ran.code == Some(3) && ran.err.contains("what is known of its servers"), "{args:?}: {ran}");
        assert!(ran.err.contains(&mark) && ran.err.contains("restore it"), "{args:?}: {ran}");
        assert_eq!(count(), 3, "{ran}");
        for file in ["ca.key", "operator.key", "ground.json"] {
            assert!(folder.join(file).exists(), "{file} is gone: {ran}");
        }
    };
    fs::remove_file(folder.join("space.log")).unwrap();
    refused(&["space", "destroy", "--yes"]);
    refused(&["space", "new", "--yes"]);
    assert!(!folder.join("space.log").exists());
    // An empty log contains no information either.
    fs::write(folder.join("space.log"), "").unwrap();
    refused(&["space", "destroy", "--yes"]);
    refused(&["space", "new", "--yes"]);
    fs::write(folder.join("space.log"), log).unwrap();
    let ran = beginner.ask(&["space", "destroy", "--yes"]);
    assert!(ran.code == Some(0) && ran.out.contains("the data space is gone"), "{ran}");
    assert_eq!(count(), 0);
    assert!(!folder.exists());
}
