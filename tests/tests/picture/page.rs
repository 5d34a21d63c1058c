//! The page, in a real browser, from a user's point of view.

use std::fs;

use serde_json::{Value, json};
use wattle::diagram::{self, Diagram, Edge, Module, Resource, Role, Why, html};
use wattle_tests::browser::Browser;

use super::{examples, tiers};

const ENTER: &str = "\u{e007}";
pub(crate) const ESCAPE: &str = "\u{e00c}";
const LEFT: &str = "\u{e012}";
const DOWN: &str = "\u{e015}";

/// An open page, closed on drop.
pub(crate) struct Page {
    pub(crate) browser: Browser,
    _folder: tempfile::TempDir,
}

impl Page {
    pub(crate) fn open(what: &str, diagram: &Diagram, is_dark: bool) -> Option<Self> {
        let browser = Browser::start(what)?;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("page.html");
        fs::write(&file, html(diagram)).expect("writes");
        browser.set_dark(is_dark);
        browser.open(&format!("file://{}", file.display()));
        browser.run("wattle.ready.then(() => (window.isDrawn = true))");
        browser.wait_for("the picture", "return window.isDrawn");
        Some(Self { browser, _folder: folder })
    }

    pub(crate) fn count(&self, selector: &str) -> u64 {
        self.browser.run(&format!("return document.querySelectorAll({selector:?}).length")).as_u64().expect("a number")
    }

    pub(crate) fn details(&self) -> String {
        self.browser.text("return document.getElementById('panel-details').innerText")
    }

    /// Waits until the details show this element.
    pub(crate) fn wait_for_details(&self, name: &str) {
        self.browser.wait_for(name, &format!("return document.querySelector('.details h2').textContent === {name:?}"));
    }

    pub(crate) fn search(&self, words: &str) {
        self.browser.press("/");
        self.browser.press(words);
        self.browser.press(ENTER);
    }

    /// Pairs of overlapping boxes that are not nested.
    fn overlaps(&self) -> Value {
        self.browser.run(
            "const boxes = [...document.querySelectorAll('.server, .other, .module.folded')]
               .map((one) => [one.dataset.id, one.querySelector('rect').getBBox()]);
             return boxes.flatMap(([a, p], at) => boxes.slice(at + 1)
               .filter(([, q]) => p.x < q.x + q.width && q.x < p.x + p.width && p.y < q.y + q.height && q.y < p.y + p.height)
               .map(([b]) => `${a} ${b}`)).slice(0, 9);",
        )
    }

    /// Wires that run through boxes.
    fn crossings(&self) -> Value {
        self.browser.run(
            "const boxes = [...document.querySelectorAll('.server, .other, .module.folded')].map((one) => {
               const { x, y, width, height } = one.querySelector('rect').getBBox();
               return { id: one.dataset.id, left: x + 1, top: y + 1, right: x + width - 1, bottom: y + height - 1 };
             });
             const wires = draw.wires().filter(({ wire }) => wire.a.box !== wire.b.box);
             return wires.flatMap(({ path, wire: { a, b, points } }) => {
               if (!points) return [`${a.box.id} to ${b.box.id} has no way`];
               const ends = [path.getPointAtLength(0), path.getPointAtLength(path.getTotalLength())];
               const all = [ends[0], ...points, ends[1]];
               return all.slice(1).flatMap((to, at) => {
                 const from = all[at];
                 const own = at === 0 ? a.box.id : at === points.length ? b.box.id : null;
                 const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
                 const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
                 return boxes
                   .filter((box) => box.id !== own && left < box.right && right > box.left && top < box.bottom && bottom > box.top)
                   .map((box) => `${a.box.id} to ${b.box.id} through ${box.id}`);
               });
             }).slice(0, 9);",
        )
    }

    /// Texts of or above a server that are covered by the ring around one of its components, or around itself.
    fn ringed(&self) -> Value {
        self.browser.run(
            "const boxes = [...document.querySelectorAll('.server, .component')].map((one) => [one, one.querySelector(':scope > rect')]);
             const texts = [...document.querySelectorAll('.server > text, .module > text')].map((text) => [text, text.getBBox()]);
             const found = boxes.map(([one]) => {
               wattle.select(one.dataset.id.slice(2));
               const { x, y, width, height } = one.querySelector('.ring').getBBox();
               const half = 1.25;
               const isUnder = ({ x: left, y: top, width: w, height: h }, dip) =>
                 left < x + width + half && left + w > x - half && top + h - dip > y - half && top < y + height + half;
               const isInside = ({ x: left, y: top, width: w, height: h }) =>
                 left > x + half && left + w < x + width - half && top > y + half && top + h < y + height - half;
               // The box of a text has some empty space below its letters.
               return texts.filter(([, box]) => isUnder(box, 1) && !isInside(box)).map(([text]) => `${one.dataset.id}: ${text.textContent}`);
             });
             wattle.select(null);
             return found.flat().slice(0, 9);",
        )
    }

    /// Text that exceeds its box.
    fn overflows(&self) -> Value {
        self.browser.run(
            "return [...document.querySelectorAll('.server, .other, .component, .module')].flatMap((one) => {
               const box = one.querySelector(':scope > rect').getBBox();
               return [...one.querySelectorAll(':scope > text')]
                 .filter((text) => { const t = text.getBBox(); return t.width && (t.x < box.x || t.x + t.width > box.x + box.width + 1); })
                 .map((text) => `${one.dataset.id}: ${text.textContent}`);
             }).slice(0, 9);",
        )
    }

    pub(crate) fn end(self) {
        assert_eq!(self.browser.complaints(), [""; 0], "the console has complaints");
    }
}

pub(crate) fn example(name: &str) -> Diagram {
    let (_, model) = examples().into_iter().find(|(known, _)| *known == name).expect("an example");
    diagram::of(&model)
}

#[test]
fn three_tier_is_explored_with_the_keyboard_alone() {
    let Some(page) = Page::open("the page of three_tier", &example("three_tier"), false) else { return };
    assert_eq!((page.count(".server"), page.count(".component"), page.count(".network")), (4, 5, 1));
    assert_eq!((page.overlaps(), page.overflows()), (json!([]), json!([])));
    page.browser.looked_at("three_tier");
    page.browser.click("[data-id='c:db/postgres'] > rect");
    page.wait_for_details("db/postgres");
    page.browser.looked_at("three_tier-selected");
    page.browser.press("?");
    page.browser.wait_for("the keys", "return document.getElementById('help').open");
    page.browser.looked_at("three_tier-keys");
    page.browser.press("\u{e00c}");
    page.browser.wait_for("they are closed", "return !document.getElementById('help').open");

    page.search("nginx");
    page.wait_for_details("web/nginx");
    let details = page.details();
    for reported in
        ["Nginx on web", "backends: list of url", "app1/app/url", "examples/three_tier/src/lib.rs:", "shell: "]
    {
        assert!(details.contains(reported), "{reported}\n{details}");
    }
    assert!(details.contains("#!/bin/sh"), "no recipe: {details}");
    assert_eq!(page.browser.text("return document.activeElement.id"), "canvas");

    page.browser.press("u");
    let on = "return [...document.querySelectorAll('.component.on')].map((one) => one.dataset.id).sort()";
    let upstream = ["c:app1/app", "c:app2/app", "c:db/catalogue", "c:db/postgres", "c:web/nginx"];
    assert_eq!(page.browser.run(on), json!(upstream));
    assert_eq!(page.count(".edge.data.on"), page.count(".edge.data"), "everything leads to nginx");
    page.browser.screenshot("three_tier-upstream");
    page.search("postgres");
    page.wait_for_details("db/postgres");
    page.browser.press("u");
    assert_eq!(page.browser.run(on), json!(["c:db/postgres"]));
    assert_eq!(page.count(".edge.on"), 0, "nothing leads to postgres");
    page.browser.press("d");
    assert_eq!(page.browser.run(on), json!(upstream));
    page.browser.press(ESCAPE);
    assert_eq!(page.count(".traced"), 0);

    page.search("app2/app");
    page.wait_for_details("app2/app");
    page.browser.press(LEFT);
    page.browser
        .wait_for("a box to the left", "return !document.querySelector('.selected').dataset.id.startsWith('c:app')");
    page.search("db server");
    page.wait_for_details("db");
    page.browser.press(ENTER);
    page.browser.wait_for("db is folded", "return document.querySelector('[data-id=\"r:db\"]').matches('.folded')");
    assert_eq!(page.count(".component"), 3);
    assert_eq!(
        page.browser.text("return document.querySelector('.label')?.textContent ?? 'url stays at its pin'"),
        "url stays at its pin"
    );
    page.browser.wait_for(
        "the details",
        "return document.getElementById('panel-details').innerText.includes('Unfold (Enter)')",
    );
    page.browser.screenshot("three_tier-folded");
    page.browser.press(ENTER);
    page.browser.wait_for("db is unfolded", "return document.querySelectorAll('.component').length === 5");

    page.browser.press("?");
    assert_eq!(page.browser.run("return document.getElementById('help').open"), json!(true));
    page.browser.press(ESCAPE);
    assert_eq!(page.browser.run("return document.getElementById('help').open"), json!(false));
    let ground = "return getComputedStyle(document.body).backgroundColor";
    let light = page.browser.text(ground);
    page.browser.press("t");
    assert_ne!(page.browser.text(ground), light);
    page.end();
}

#[test]
fn the_ring_around_what_is_selected_lies_over_no_text() {
    for name in ["hello", "three_tier"] {
        let Some(page) = Page::open("the ring around what is selected", &example(name), false) else { return };
        assert_eq!(page.ringed(), json!([]), "{name}");
        let reported = page.browser.text("return document.getElementById('view').textContent");
        assert!(name != "hello" || reported.contains("m1.small"), "no server says what it is: {reported}");
        page.end();
    }
}

#[test]
fn connections_folds_and_unfolds_its_modules() {
    let Some(page) = Page::open("the page of connections", &example("connections"), true) else { return };
    assert_eq!((page.overlaps(), page.overflows()), (json!([]), json!([])));
    assert!(page.count(".edge.data[d*='C']") > 5, "wires are not routed");
    page.browser.screenshot("connections-dark");
    page.browser.click("[data-id='c:cell.manager/connections'] > rect");
    page.wait_for_details("cell.manager/connections");
    let details = page.details();
    assert!(details.contains("jdbc_base") && details.contains("database.server/db2/jdbc_base"), "{details}");
    page.browser.screenshot("connections-selected");

    page.browser.click("[data-id='m:cell'] > .toggle");
    page.browser.wait_for("cell is folded", "return document.querySelector('[data-id=\"m:cell\"]').matches('.folded')");
    assert_eq!(page.count("[data-id^='r:cell.']"), 0);
    assert_eq!((page.overlaps(), page.overflows()), (json!([]), json!([])));
    page.browser.screenshot("connections-folded");
    // A nested element is found, and the boxes around it are unfolded.
    page.search("cell.node2/node");
    page.wait_for_details("cell.node2/node");
    page.browser.wait_for("it is seen", "return document.querySelector('[data-id=\"c:cell.node2/node\"]')");

    page.browser.press("F");
    page.browser.wait_for("all is folded", "return document.querySelectorAll('.component').length === 0");
    page.browser.screenshot("connections-all-folded");
    page.browser.press("U");
    page.browser.wait_for("all is unfolded", "return document.querySelectorAll('.component').length === 14");
    page.end();
}

/// The members are in the same order as in the image. 11 are few enough for ELK, and 150 are too many for it.
#[test]
fn members_of_a_cluster_stand_by_number_however_they_are_laid_out() {
    for members in [11, 150] {
        let mut diagram = Diagram::new("cluster");
        let server = |name: String| Resource::new(name, "OS::Nova::Server", Role::ServerBox);
        diagram.resources.extend((1..=members).rev().map(|number| server(format!("member{number}"))));
        diagram.resources.push(Resource::new("policy", "OS::Nova::ServerGroup", Role::Other));
        // The order of these servers alone would reverse that of the members.
        for (name, number) in ["one", "two", "three", "four"].into_iter().zip([11, 10, 9, 2]) {
            diagram.resources.push(server(name.into()));
            diagram.edges.push(Edge::new(name.into(), format!("member{number}").into(), Why::Infrastructure));
        }
        let Some(page) = Page::open("the members of a cluster", &diagram, false) else { return };
        let wrong = "const members = [...document.querySelectorAll('.server')]
               .map((one) => [Number(one.dataset.id.match(/^r:member(\\d+)$/)?.[1]), one.querySelector('rect').getBBox()])
               .filter(([number]) => number);
             return members.flatMap(([a, { x, y }]) => members
               .filter(([b, at]) => a < b && x === at.x && y > at.y).map(([b]) => `${b} above ${a}`)).slice(0, 9)";
        assert_eq!(page.browser.run(wrong), json!([]), "{members}, as in the image");
        // Without the other resources, the page computes the layout itself.
        page.browser.press("i");
        page.browser.wait_for("only servers", "return document.querySelectorAll('.other').length === 0");
        assert_eq!(page.browser.run(wrong), json!([]), "{members}");
        assert_eq!(page.overlaps(), json!([]), "{members}");
        page.browser.screenshot(&format!("cluster-{members}"));
        page.end();
    }
}

#[test]
fn a_thousand_servers_are_looked_through() {
    let Some(page) = Page::open("the page of W(1000)", &tiers(1000), false) else { return };
    assert_eq!((page.count(".server.folded"), page.count(".component")), (1000, 0));
    assert_eq!((page.overlaps(), page.crossings()), (json!([]), json!([])));
    // The text would be too small to read, so only the boxes are visible.
    let seen = "return [...document.querySelectorAll('.server text')].filter((one) => one.checkVisibility()).length";
    assert_eq!(page.browser.run(seen), json!(0));
    page.browser.screenshot("w1000");
    page.search("server777/b");
    page.wait_for_details("server777/b");
    assert_eq!((page.count(".component"), page.overlaps(), page.crossings()), (2, json!([]), json!([])));
    assert!(page.browser.run(seen).as_u64() > Some(1000), "names can be read from near");
    page.browser.press("u");
    page.browser.screenshot("w1000-upstream");
    page.browser.press(DOWN);
    page.end();
}

#[test]
fn two_hundred_servers_with_all_that_is_on_them() {
    let Some(page) = Page::open("the page of W(200)", &tiers(200), true) else { return };
    page.browser.press("U");
    page.browser.wait_for("all is unfolded", "return document.querySelectorAll('.component').length === 400");
    assert_eq!((page.overlaps(), page.overflows()), (json!([]), json!([])));
    assert_eq!(page.crossings(), json!([]));
    page.browser.screenshot("w200-unfolded");
    page.end();
}

#[test]
fn wires_go_round_boxes_also_through_modules() {
    let mut diagram = tiers(150);
    let module =
        |name: String, module| Module { name: name.into(), module, kind: "Tens".into(), title: None, at: "".into() };
    diagram.modules = (0..15)
        .map(|ten| module(format!("m{ten}"), (ten % 3 > 0).then(|| format!("m{}", ten / 3 * 3).into())))
        .collect();
    let servers = diagram.resources.iter_mut().filter(|resource| resource.role == Role::ServerBox);
    for (number, server) in servers.enumerate() {
        server.module = Some(format!("m{}", number % 75 / 5).into());
    }
    let Some(page) = Page::open("the page of W(150) in modules", &diagram, true) else { return };
    assert_eq!((page.count(".module"), page.count(".server.folded")), (15, 150));
    assert_eq!((page.overlaps(), page.crossings()), (json!([]), json!([])));
    page.browser.screenshot("w150-modules");
    page.browser.press("U");
    page.browser.wait_for("all is unfolded", "return document.querySelectorAll('.component').length === 300");
    assert_eq!((page.overlaps(), page.crossings()), (json!([]), json!([])));
    page.end();
}

#[test]
fn whatever_a_name_or_a_recipe_says_is_only_text() {
    let mut diagram = example("hello");
    let evil = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'><!-- \u{2028}\"é日本";
    diagram.stack = evil.into();
    diagram.description = evil.into();
    diagram.components[0].name = evil.into();
    diagram.resources[1].doc = evil.into();
    for text in &mut diagram.texts {
        *text = evil.into();
    }
    diagram.modules.push(Module { name: evil.into(), module: None, kind: "Evil".into(), title: None, at: evil.into() });
    let Some(page) = Page::open("the page of awkward names", &diagram, false) else { return };
    let key = diagram.components[0].key.to_string();
    page.browser.run(&format!("wattle.select({key:?})"));
    page.wait_for_details(&key);
    assert_eq!(page.browser.text("return document.querySelector('.details pre').textContent"), evil);
    assert_eq!(page.browser.text("return document.getElementById('title').textContent"), evil);
    assert_eq!(page.browser.text("return document.title"), format!("{evil} – wattle"));
    page.browser.press("/");
    page.browser.press("evil");
    assert_eq!(page.browser.text("return document.querySelector('#found li').firstChild.textContent"), evil);
    page.browser.press(ENTER);
    page.wait_for_details(evil);
    assert_eq!((page.count("img"), page.count("script")), (0, 4), "markup has become elements");
    assert_eq!(page.browser.run("return window.hacked ?? null"), Value::Null);
    // The page's policy prevents other code from running, and any requests.
    let policy = |act: &str| {
        page.browser.text(&format!(
            "return new Promise((done) => {{
                document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective), {{ once: true }});
                {act}
            }})"
        ))
    };
    assert_eq!(policy("fetch('http://127.0.0.1:9/').catch(() => {})"), "connect-src");
    assert_eq!(policy("new Image().src = 'http://127.0.0.1:9/'"), "img-src");
    assert_eq!(
        policy("document.body.append(Object.assign(document.createElement('script'), { text: 'hacked = 3' }))"),
        "script-src-elem"
    );
    assert_eq!(
        policy(
            "document.body.append(document.createElement('iframe')); document.querySelector('iframe').src = 'http://127.0.0.1:9/'"
        ),
        "frame-src"
    );
    assert_eq!(page.browser.run("return window.hacked ?? null"), Value::Null);
}

/// A subnet has no box of its own: its state is shown at its network's.
#[test]
fn how_far_a_subnet_is_shows_at_its_network() {
    let Some(page) = Page::open("a subnet of a page", &example("three_tier"), false) else { return };
    let built = |of: &str| {
        page.browser.run(&format!("wattle.setBuilt({of})"));
        page.browser.text("return document.querySelector('[data-id=\"r:backbone\"]').dataset.built ?? ''")
    };
    assert_eq!(built("{ backbone: { state: 'there' }, subnet: { state: 'failed', text: 'no' } }"), "failed");
    let reported = page.browser.text("return document.querySelector('[data-id=\"r:backbone\"] > title').textContent");
    assert_eq!(reported, "no");
    assert_eq!(built("{ subnet: { state: 'there' }, backbone: { state: 'busy', text: 'is being created' } }"), "busy");
    assert_eq!(built("{ backbone: { state: 'there' }, subnet: { state: 'there' } }"), "there");
    page.end();
}

#[test]
fn states_are_painted_also_on_what_is_folded() {
    let Some(page) = Page::open("states on a page", &example("three_tier"), false) else { return };
    page.browser.run(
        "wattle.setStates({ 'db/postgres': { state: 'done', text: 'done' }, 'db/catalogue': { state: 'failed', text: 'no' },
                            'app1/app': { state: 'waiting', text: 'waits for db/postgres/url' }, 'web/nginx': { state: 'running' } })",
    );
    let state = |id: &str| {
        page.browser.text(&format!("return document.querySelector('[data-id=\"{id}\"]').dataset.state ?? ''"))
    };
    assert_eq!(
        ["c:db/postgres", "c:db/catalogue", "c:app1/app", "c:app2/app", "r:db"].map(state),
        ["done", "failed", "waiting", "", ""]
    );
    page.browser.screenshot("three_tier-states");
    page.browser.press("F");
    page.browser.wait_for("all is folded", "return document.querySelectorAll('.component').length === 0");
    assert_eq!(["r:db", "r:app1", "r:web"].map(state), ["failed", "waiting", "running"]);
    page.browser.run("wattle.setStates({ 'db/catalogue': null })");
    assert_eq!(state("r:db"), "done");
    let tab = "wattle.addTab('mine', 'Mine').textContent = 'my panel'; wattle.showTab('mine');
               return document.getElementById('panels').innerText";
    assert_eq!(page.browser.text(tab), "my panel");
    page.end();
}
