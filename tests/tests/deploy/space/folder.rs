//! The folders that `wattle space` accepts as its own, and the files that it deletes in them.

use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

use wattle_runtime::seed::write_operator_key;
use wattle_runtime::space::OperatorKey;

use super::*;

/// The files in a folder, by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let mut files: Vec<_> =
        files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())).collect();
    files.sort();
    files
}

/// A user in a cloud without room for any resources.
fn without_room() -> Beginner {
    Beginner::with(Setting { quota: Some(0), ..Setting::default() })
}

/// Creates the folder of a data space that has no resources in the cloud.
fn begun(beginner: &Beginner, folder: &str) {
    let ran = beginner.ask(&["space", "new", folder, "--network", "private", "--yes"]);
    assert!(ran.code == Some(1) && ran.err.contains("quota"), "{ran}");
}

#[test]
fn a_folder_with_keys_of_something_else_is_neither_taken_nor_cleared() {
    let beginner = Beginner::new();
    beginner.network("here", &format!("{NETWORK}.0/24"));
    let at = |name: &str| beginner.stage.path().join(name);
    fs::create_dir(at("stack")).unwrap();
    write_operator_key(&at("stack/operator.key"), &OperatorKey::generate()).unwrap();
    let key = fs::read_to_string(at("stack/operator.key")).unwrap();
    fs::write(at("stack/operator.key"), key + "# space: zookeeper+tls://zk1.example.com:2281\n").unwrap();
    for args in [
        &["ca", "new", "--out", "authority"][..],
        &["ca", "issue", "zk1.example.com", "--ca", "authority", "--out", "authority/zookeeper1.pem"],
    ] {
        let ran = beginner.ask(args);
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    for folder in ["stack", "authority", "."] {
        let before = (folder != ".").then(|| files(&at(folder)));
        let ran = beginner.ask(&["space", "new", folder, "--network", "here", "--yes"]);
        let refused = "was not made here by `wattle space new` of this user";
        assert!(ran.code == Some(2) && ran.err.contains(refused), "{folder}: {ran}");
        let ran = beginner.ask(&["space", "destroy", folder, "--yes"]);
        assert!(ran.code == Some(2) && ran.err.contains(refused), "{folder}: {ran}");
        let ran = beginner.ask(&["space", "destroy", folder, "--mine", "--yes"]);
        assert!(ran.code == Some(2) && ran.err.contains("is not the folder of a data space"), "{folder}: {ran}");
        assert!(before.is_none_or(|before| before == files(&at(folder))), "{folder}");
    }
    assert_eq!(beginner.cloud.world().servers().len(), 0);
}

#[test]
fn only_what_was_made_is_believed_and_deleted() {
    let beginner = without_room();
    let at = |name: &str| beginner.stage.path().join(name);
    begun(&beginner, "own");
    // A file with one of wattle's names that wattle did not create is not trusted.
    fs::write(at("own/zookeeper1.pem"), "of somebody else").unwrap();
    for args in [&["space", "new", "own", "--yes"][..], &["space", "destroy", "own", "--yes"]] {
        let ran = beginner.ask(args);
        assert!(ran.code == Some(2) && ran.err.contains("`own/zookeeper1.pem` was not made by"), "{ran}");
    }
    fs::rename(at("own/zookeeper1.pem"), at("own/mine.pem")).unwrap();
    let ran = beginner.ask(&["space", "destroy", "own/", "--yes"]);
    assert!(ran.code == Some(0) && ran.err.contains("has other files, which `space new` did not make"), "{ran}");
    assert_eq!(files(&at("own")), [("mine.pem".to_owned(), b"of somebody else".to_vec())]);
    // An existing folder may be used if it is empty.
    fs::create_dir(at("empty")).unwrap();
    begun(&beginner, "empty");
    begun_again(&beginner, "empty");
    let ran = beginner.ask(&["space", "destroy", "empty", "--yes"]);
    assert!(ran.code == Some(0) && !at("empty").exists(), "{ran}");
}

/// Continues a command that was cut short: it accepts the folder, and fails again only in the cloud.
fn begun_again(beginner: &Beginner, folder: &str) {
    let ran = beginner.ask(&["space", "new", folder, "--yes"]);
    assert!(ran.code == Some(1) && ran.err.contains("quota"), "{ran}");
}

#[test]
fn a_folder_that_somebody_else_can_have_made_is_not_believed() {
    let beginner = without_room();
    let at = |name: &str| beginner.stage.path().join(name);
    let refused = |folder: &str, why: &str, help: &str| {
        let mut asked = vec![vec!["space", "new", folder, "--yes"], vec!["space", "destroy", folder, "--yes"]];
        if folder == "wattle-space" {
            asked.push(vec!["status", "--space", "new"]);
        }
        for args in asked {
            let ran = beginner.ask(&args);
            assert!(ran.code == Some(2) && ran.err.contains(why) && ran.err.contains(help), "{args:?} {why}: {ran}");
        }
    };
    // A folder from somebody else would provide an address, and a certificate authority to trust.
    fs::create_dir(at("wattle-space")).unwrap();
    fs::write(at("wattle-space/address"), "zookeeper://127.0.0.1:1\n").unwrap();
    refused("wattle-space", "was not made here by `wattle space new`", "name a new folder");
    fs::remove_dir_all(at("wattle-space")).unwrap();
    begun(&beginner, "own");
    symlink("own", at("wattle-space")).unwrap();
    refused("wattle-space", "`wattle-space` is a link", "name the folder itself");
    refused("wattle-space/", "`wattle-space` is a link", "name the folder itself");
    fs::remove_file(at("wattle-space")).unwrap();
    fs::rename(at("own"), at("wattle-space")).unwrap();
    begun_again(&beginner, "wattle-space");
    for (name, mode) in [("wattle-space", 0o777), ("wattle-space/ca.pem", 0o666), ("wattle-space/ca.pem", 0o620)] {
        let before = fs::metadata(at(name)).unwrap().permissions();
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        refused("wattle-space", "can be changed by other users", &format!("`chmod go-w {name}`"));
        fs::set_permissions(at(name), before).unwrap();
    }
    fs::rename(at("wattle-space/ca.pem"), at("ca.pem")).unwrap();
    symlink("../ca.pem", at("wattle-space/ca.pem")).unwrap();
    refused("wattle-space", "`wattle-space/ca.pem` is a link", "");
    fs::rename(at("ca.pem"), at("wattle-space/ca.pem")).unwrap();
    // Only root can give folders away.
    if chown(at("wattle-space"), Some(4_321), None).is_ok() {
        refused(
            "wattle-space",
            "`wattle-space` belongs to another user",
            "run the command as that user, or name a new folder",
        );
        chown(at("wattle-space"), Some(0), None).unwrap();
    }
    // The user must confirm a copy.
    assert!(Command::new("cp").arg("-a").arg(at("wattle-space")).arg(at("copy")).status().unwrap().success());
    refused("copy", "was not made here by `wattle space new`", "`wattle space new copy --mine`");
    let ran = beginner.ask(&["space", "destroy", "copy", "--mine", "--yes"]);
    assert!(ran.code == Some(0) && !at("copy").exists(), "{ran}");
}
