//! A prompt can be declined in every way.

use wattle_cloud::Setting;
use wattle_tests::site::{NOTHING, PASSWORD, SHOP, Site};

use super::KEY;

#[test]
fn nothing_is_done_unless_whoever_is_asked_says_yes() {
    let site = Site::embedded(Setting::default());
    let deploy = [&["deploy", ".", "--infrastructure-only", "-P", PASSWORD][..], &KEY].concat();
    // Ctrl-C, end of input, "n", and other answers.
    for typed in ["\u{3}", "\u{4}", "n\n", "\n", "yess\n"] {
        let ran = site.ask_at_a_terminal(&deploy, typed);
        assert!(ran.code == Some(1) && ran.out.contains("nothing was deployed"), "{typed:?}: {ran}");
        assert_eq!(site.counts(), NOTHING, "{typed:?}");
    }
    let ran = site.ask_at_a_terminal(&deploy, "yes\n");
    assert!(ran.code == Some(0) && site.counts() == SHOP, "{ran}");
    let destroy = [&["destroy"][..], &KEY].concat();
    for (typed, code, counts) in [("\u{3}", 1, SHOP), ("Y\n", 0, NOTHING)] {
        let ran = site.ask_at_a_terminal(&destroy, typed);
        assert!(ran.code == Some(code) && site.counts() == counts, "{typed:?}: {ran}");
    }
}
