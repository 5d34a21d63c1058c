//! The page in a real browser, for running software.

use std::time::Duration;

use serde_json::json;
use wattle::author::Blueprint as _;
use wattle::model::Model;
use wattle_tests::browser::Browser;
use wattle_tests::proxy::Proxy;
use wattle_tests::workload::{Size, workload};
use wattle_tests::{running, skip};

use crate::client::parts;
use crate::stack::{PASSWORD, Shown};

/// Opens the live view at this URL, and waits until it has data. `None` if there is no browser.
pub(crate) fn open(url: &str) -> Option<Browser> {
    let browser = Browser::start("the live view's page")?;
    browser.open(url);
    // The page may be visible before its script has run.
    let knows = "return typeof live === 'object' && live.now.revision > 0 && live.now.connected";
    browser.wait_for("it knows something", knows);
    Some(browser)
}

/// Opens a tab, and returns its text.
pub(crate) fn tab(browser: &Browser, name: &str) -> String {
    browser.run(&format!("wattle.showTab('{name}')"));
    browser.wait_for(
        "the tab has something",
        &format!("return document.getElementById('panel-{name}').innerText.length > 5"),
    );
    browser.text(&format!("return document.getElementById('panel-{name}').innerText"))
}

pub(crate) fn nothing_is_wrong_with(browser: &Browser) {
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let html = browser.text("return document.documentElement.outerHTML");
    assert!(!html.contains(PASSWORD), "{html}");
}

#[test]
fn states_waits_logs_and_values_as_they_come() {
    let mut shown = Shown::held();
    let Some(browser) = open(&shown.url) else { return };
    browser.wait_for("b/second waits", "return live.now.components['b/second']?.state === 'waiting'");
    browser.run("wattle.select('b/second')");
    let now = tab(&browser, "live-now");
    assert!(now.contains("waits for a/first/token"), "{now}");
    assert!(now.contains("a/first runs"), "{now}");
    // The awaited value links to its writer.
    browser.run("document.querySelector('.live-waits .live-goto').click()");
    browser
        .wait_for("a/first is shown", "return document.querySelector('#panel-live-now h2').textContent === 'a/first'");
    let log = tab(&browser, "live-log");
    assert!(log.contains("Log of a/first"), "{log}");
    browser.wait_for(
        "what it says, masked",
        "return document.getElementById('live-lines').textContent.includes('the password is ***')",
    );
    browser.looked_at("running");
    shown.let_go();

    browser.wait_for("the end", "return live.now.over === true");
    browser.wait_for("it is shown", "return document.getElementById('live-tally').textContent.includes('3 of 3 done')");
    browser.wait_for(
        "the log goes on",
        "return document.getElementById('live-lines').textContent.trimEnd().endsWith('done')",
    );
    let data = tab(&browser, "live-data");
    assert!(data.contains("••••••") && data.contains("secret string"), "{data}");
    assert!(data.contains("<b>well</b>"), "a value is text: {data}");
    assert_eq!(browser.run("return document.querySelectorAll('.live-value b').length"), 0);
    let now = tab(&browser, "live-now");
    assert!(now.contains("Critical path") && now.contains("after a/first/"), "{now}");

    // The timeline by keyboard: go to the first row (Home), then down to the second, and select it.
    browser.run("document.querySelector('#live-dock canvas').focus()");
    browser.press("\u{e011}\u{e015}");
    let reported = browser.text("return document.getElementById('live-told').textContent");
    assert!(reported.starts_with("b/second: waited "), "{reported}");
    browser.press("\u{e007}");
    browser
        .wait_for("it is selected", "return document.querySelector('#panel-live-now h2').textContent === 'b/second'");
    let before = browser.run("return document.querySelector('#live-dock canvas').toDataURL()");
    browser.press("++");
    assert_ne!(browser.run("return document.querySelector('#live-dock canvas').toDataURL()"), before, "it zooms");
    browser.looked_at("done");

    nothing_is_wrong_with(&browser);
    assert_eq!(shown.up.interrupt(), Some(0), "{}", shown.up.said());
    browser.wait_for(
        "its end",
        "return document.getElementById('live-banner').textContent.includes('secrets was stopped')",
    );
    assert_eq!(browser.run("return live.now.connected"), false);
    browser.looked_at("ended");
}

#[test]
fn what_is_awaited_is_marked_on_the_picture_and_leads_to_who_writes_it() {
    let shown = Shown::held();
    let Some(browser) = open(&shown.url) else { return };
    browser.wait_for("c/third waits", "return live.now.components['c/third']?.state === 'waiting'");
    // Both values of a/first, and the one of b/second.
    browser.wait_for("marks", "return document.querySelectorAll('.awaited').length === 3");
    let titles = "return [...document.querySelectorAll('.awaited > title')].map((one) => one.textContent).join('\\n')";
    let reported = browser.text(titles);
    for part in ["b/second has waited for a/first/token (its password) since ", "Click to go to b/second."] {
        assert!(reported.contains(part), "{reported}");
    }
    let line = |what: &str| {
        browser.text(&format!("return getComputedStyle(document.querySelector('.awaited > .line')).{what}"))
    };
    let waiting = "document.querySelector('[data-id=\"c:c/third\"] > rect')";
    let box_of = || browser.text(&format!("return getComputedStyle({waiting}).stroke"));
    browser.set_dark(true);
    let dark = line("stroke");
    assert_eq!(dark, box_of());
    browser.set_dark(false);
    assert_eq!(line("stroke"), box_of());
    assert_ne!(line("stroke"), dark);
    assert_ne!(line("strokeDasharray"), "none");
    // Running components are animated, waiting ones are not, and nothing moves for users who prefer reduced motion.
    let moving = "return document.getAnimations().map((one) => one.effect.target.parentNode.dataset.id)";
    browser.wait_for("a/first runs", "return document.getAnimations().length > 0");
    assert_eq!(browser.run(moving), json!(["c:a/first"]));
    browser.prefer("prefers-reduced-motion", "reduce");
    assert_eq!(browser.run(moving), json!([]));
    browser.set_dark(false);
    let legend = browser.text("return document.getElementById('legend').innerText");
    assert!(legend.contains("awaited: click it, or press w"), "{legend}");
    browser.looked_at("awaited");

    // A click next to the line follows it, and so does the key.
    let place = browser.run(
        "const line = document.querySelector('.awaited > .line');
         const { x, y } = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM());
         return [Math.round(x), Math.round(y) + 3]",
    );
    let turns_to = |name: &str| {
        browser
            .wait_for(name, &format!("return document.querySelector('#panel-live-now h2').textContent === {name:?}"));
    };
    browser.click_at(&place);
    turns_to("a/first");
    browser.run("wattle.select('c/third')");
    turns_to("c/third");
    browser.press("w");
    turns_to("b/second");
    browser.press("w");
    turns_to("a/first");
    browser.press("w");
    assert_eq!(browser.text("return document.getElementById('said').textContent"), "a/first waits for nothing");

    // Between folded boxes, one line stands for all awaited values.
    browser.press("F");
    browser.wait_for("all is folded", "return document.querySelectorAll('.component').length === 0");
    assert_eq!(browser.run("return document.querySelectorAll('.awaited').length"), 2);
    let reported = browser.text(titles);
    assert!(
        reported.contains("has waited for a/first/token") && reported.contains("has waited for a/first/felt"),
        "{reported}"
    );
    browser.looked_at("awaited-folded");

    // Once the component ends, nobody waits any more.
    shown.let_go();
    browser.wait_for("no marks", "return document.querySelectorAll('.awaited').length === 0");
    browser.wait_for("the end", "return live.now.over === true");
    nothing_is_wrong_with(&browser);
}

#[test]
fn what_is_selected_and_focused_stays_while_it_goes_on() {
    let shown = Shown::held();
    let Some(browser) = open(&shown.url) else { return };
    browser.wait_for("c/third waits", "return live.now.components['c/third']?.state === 'waiting'");
    browser.run("wattle.select('c/third')");
    let hop = "[...document.querySelectorAll('#live-path .live-goto')].find((one) => one.textContent === 'a/first')";
    browser.wait_for("the path", &format!("return {hop}"));
    browser.run(&format!(
        "window.told = 0;
         live.onChange(() => (window.told += 1));
         window.kept = {hop};
         kept.focus();
         getSelection().selectAllChildren(document.querySelector('#panel-live-now h2'))"
    ));
    shown.let_fail();
    browser.wait_for("the end", "return live.now.over === true && window.told > 0");
    let now = tab(&browser, "live-now");
    assert!(now.contains("because a/first failed"), "it is another text: {now}");
    assert_eq!(browser.text("return getSelection().toString()"), "c/third");
    assert_eq!(browser.run("return document.activeElement === kept && kept.textContent"), json!("a/first"));
    nothing_is_wrong_with(&browser);
}

#[test]
fn a_failure_is_seen_with_its_root_wherever_it_leads() {
    let shown = Shown::up("bad");
    let Some(browser) = open(&shown.url) else { return };
    browser.wait_for("the end", "return live.now.over === true");
    browser.run("wattle.select('c/third')");
    let now = tab(&browser, "live-now");
    assert!(now.contains("because a/first failed"), "{now}");
    assert!(now.contains("Passed on by b/second"), "{now}");
    assert!(now.contains("cannot log in as admin with ***"), "its last lines: {now}");
    assert!(now.contains("2 more wait for it."), "{now}");
    let data = tab(&browser, "live-data");
    assert!(data.contains("poisoned") && data.contains("a/first: "), "{data}");
    // A failed component is red, blocked ones are not, in every place that shows them.
    let colors = |selector: &str| {
        let all = format!("[...document.querySelectorAll({selector:?})].map((one) => getComputedStyle(one).color)");
        browser.run(&format!("return [...new Set({all})]"))
    };
    let [failed, blocked] = ["failure", "blocked"].map(|look| colors(&format!("#panel-live-data [data-look={look}]")));
    assert!(failed.as_array().is_some_and(|one| one.len() == 1) && failed != blocked, "{failed} {blocked}");
    browser.run("document.querySelector('#panel-live-data input').value = 'third/tok'");
    browser.run("document.querySelector('#panel-live-data input').dispatchEvent(new Event('input'))");
    let found = tab(&browser, "live-data");
    assert!(found.contains("token") && !found.contains("felt"), "{found}");
    tab(&browser, "live-now");
    assert_eq!((colors("[data-cause=failed]"), colors(".live-state[data-state=blocked]")), (failed, blocked));
    let state =
        |key: &str| browser.text(&format!("return document.querySelector('[data-id=\"c:{key}\"]').dataset.state"));
    assert_eq!(["a/first", "b/second", "c/third"].map(state), ["failed", "blocked", "blocked"]);
    // One has failed. The two others wait for it in vain, and both places label them as blocked.
    let tally = browser.text("return document.getElementById('live-tally').textContent");
    assert_eq!(tally, "revision 1: 0 of 3 done, 1 failed, 2 blocked");
    let legend = browser.text("return document.getElementById('legend').innerText");
    assert!(legend.contains("failed\nblocked\n"), "{legend}");
    assert!(legend.contains("timeline: waited") && legend.contains("on the critical path"), "{legend}");
    // The legend shows the same mark as the diagram.
    let sign = "const { borderTopStyle, borderTopColor } =
                    getComputedStyle(document.querySelector('#legend [data-kind=blocked]'), '::before');
                return `${borderTopStyle} ${borderTopColor}`";
    let mark = "return `solid ${getComputedStyle(document.querySelector('[data-state=blocked] > .state')).stroke}`";
    for is_dark in [true, false] {
        browser.set_dark(is_dark);
        assert_eq!(browser.text(sign), browser.text(mark));
    }
    browser.looked_at("failed");
    // The timeline covers nothing: in a narrow window, it has its own space.
    browser.resize(Some((420, 800)));
    browser.wait_for(
        "the panel is not covered",
        "const place = (id) => document.getElementById(id).getBoundingClientRect();
         const [panel, timeline] = [place('side'), place('live-dock')];
         return panel.height > 150 && timeline.height > 50 && panel.bottom <= timeline.top + 1",
    );
    browser.resize(None);
    nothing_is_wrong_with(&browser);
}

#[test]
fn a_connection_that_is_lost_is_reported_and_found_again() {
    let shown = Shown::up("");
    let (host, token) = parts(&shown.url);
    let proxy = Proxy::before(&host);
    let Some(browser) = open(&format!("http://{}/?token={token}", proxy.hosts())) else { return };
    let banner = "document.getElementById('live-banner')";
    assert_eq!(browser.run(&format!("return {banner}.hidden")), true);
    proxy.cut();
    browser.wait_for("it is shown", &format!("return {banner}.textContent.includes('The connection is lost')"));
    assert_eq!(browser.run(&format!("return {banner}.hidden")), false);
    browser.looked_at("lost");
    proxy.fix();
    browser.wait_for("it is found again", &format!("return live.now.connected && {banner}.hidden"));
    assert_eq!(browser.run("return live.now.tally.done"), 3);
}

#[test]
fn three_tier() {
    if !running::can_run_three_tier() {
        return;
    }
    let model: Model = three_tier::three_tier.model(Default::default());
    let mut shown = Shown::of(&model, &["--parameter", &format!("db_password={PASSWORD}")]);
    let Some(browser) = open(&shown.url) else { return };
    browser.wait_for("everything is done", "return live.now.over && live.now.tally.done === live.now.tally.all");
    browser.run("wattle.select('db/postgres')");
    let now = tab(&browser, "live-now");
    assert!(now.contains("db/postgres") && now.contains("Critical path"), "{now}");
    let first = browser.text("return live.now.critical[0].component");
    assert_eq!(first, "db/postgres");
    let url = browser.text("return document.querySelector('.live-exports a').getAttribute('href')");
    assert!(running::http_get(&url).contains("hurdle"), "{url}");
    browser.looked_at("three-tier");
    let data = tab(&browser, "live-data");
    assert!(data.contains("nginx") && data.contains("http://"), "{data}");
    browser.looked_at("three-tier-data");
    browser.run("wattle.select('db/postgres')");
    tab(&browser, "live-log");
    browser.looked_at("three-tier-log");
    nothing_is_wrong_with(&browser);
    assert_eq!(shown.up.interrupt(), Some(0), "{}", shown.up.said());
}

#[test]
fn two_hundred_tiers() {
    if !skip::everything("the live view of 200 servers") {
        return;
    }
    let mut shown = Shown::of(&workload.model(Size::of(200)), &[]);
    let Some(browser) = open(&shown.url) else { return };
    browser.wait_for("some are done", "return live.now.tally.done > 20");
    browser.looked_at("w200-running");
    shown.up.wait_for("is up", Duration::from_mins(4));
    browser.wait_for("all are done", "return live.now.tally.done === 400 && live.now.over");
    assert_eq!(browser.run("return live.now.critical.length"), 400, "the longest path of W(200)");
    browser.run("document.querySelector('#live-dock canvas').focus()");
    browser.press("\u{e010}");
    let reported = browser.text("return document.getElementById('live-told').textContent");
    assert!(reported.starts_with("server199/b: "), "{reported}");
    browser.looked_at("w200");
    nothing_is_wrong_with(&browser);
}
