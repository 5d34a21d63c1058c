//! Reading the page, and navigating in it.

use serde_json::{Value, json};

use wattle::diagram::svg;

use super::page::{ESCAPE, Page, example};
use super::svg::corner;

const RIGHT: &str = "\u{e014}";

#[test]
fn boxes_wires_and_details_say_what_they_are() {
    let diagram = example("three_tier");
    let Some(page) = Page::open("what the page of three_tier says", &diagram, false) else { return };
    let text = |selector: &str| page.browser.text(&format!("return document.querySelector({selector:?}).textContent"));
    let all = |selector: &str| {
        page.browser.run(&format!("return [...document.querySelectorAll({selector:?})].map((one) => one.textContent)"))
    };
    let nginx = text("[data-id='c:web/nginx']");
    assert!(nginx.contains("nginx") && nginx.contains("backends: list of url"), "{nginx}");
    let label = "return document.querySelector('[data-id=\"c:web/nginx\"]').getAttribute('aria-label')";
    assert_eq!(page.browser.text(label), "component nginx, Nginx");
    let titles = all(".edge.data > title");
    let title = json!("web/nginx reads backends from app1/app/url");
    assert!(titles.as_array().is_some_and(|titles| titles.contains(&title)), "{titles}");

    page.browser.run("wattle.select('web/nginx')");
    page.wait_for_details("web/nginx");
    let component = diagram.components.iter().find(|component| &*component.key == "web/nginx").expect("nginx");
    let kind = &diagram.component_types[&component.component_type];
    // First the place where it was added, then those where each input was wired, and last the declaration of its type.
    let mut places = vec![component.at.to_string()];
    places.extend(component.inputs.values().map(|input| input.at.to_string()));
    places.push(kind.at.to_string());
    assert!(places.iter().all(|place| place.contains(".rs:")), "{places:?}");
    assert_eq!(all(".details .at"), json!(places));

    // A folded box shows the labels of its inputs at the wires.
    page.browser.press("F");
    page.browser.wait_for("all is folded", "return document.querySelectorAll('.component').length === 0");
    let labels = all(".label");
    for label in ["backends: list of url", "database_url: url"] {
        assert!(labels.as_array().is_some_and(|labels| labels.contains(&json!(label))), "{label}: {labels}");
    }
    page.end();
}

/// Page and image show the same model, and look alike.
#[test]
fn everything_is_where_the_image_has_it() {
    let diagram = example("three_tier");
    let Some(page) = Page::open("page and image of three_tier", &diagram, false) else { return };
    let image = svg(&diagram);
    let place = |name: &str| {
        let number = |of: &str| {
            let script = format!("return document.querySelector('[data-id=\"r:{name}\"] > rect').getBBox().{of}");
            page.browser.run(&script).as_f64().expect("a number")
        };
        (number("x"), number("y"))
    };
    let from_db = |(x, y): (f64, f64), db: (f64, f64)| ((x - db.0).round(), (y - db.1).round());
    for server in ["app1", "app2", "web"] {
        let on_image = from_db(corner(&image, server), corner(&image, "db"));
        assert_eq!(from_db(place(server), place("db")), on_image, "{server}");
    }
    // The subnet is shown in the network's band, as in the image.
    assert_eq!(page.count("[data-id='r:subnet']"), 0);
    let band = page.browser.text("return document.querySelector('.network').textContent");
    assert_eq!(band, "backbonesubnet 10.0.0.0/24");
    let legend = page.browser.text("return document.getElementById('legend').innerText");
    assert_eq!(legend, "is read by\nruns before\nis created before\non this network");
    // Selected elements keep their colours.
    page.browser
        .run("wattle.setStates({ 'db/postgres': { state: 'failed', text: 'no' } }); wattle.select('db/postgres')");
    page.wait_for_details("db/postgres");
    let stroke = |selector: &str| {
        page.browser.text(&format!("return getComputedStyle(document.querySelector({selector:?})).stroke"))
    };
    let [own, ring] = ["rect", ".ring"].map(|part| stroke(&format!("[data-id='c:db/postgres'] > {part}")));
    assert_ne!(own, ring);
    assert_eq!(page.count("[data-state='failed'].selected > .ring"), 1);
    page.end();
}

#[test]
fn documentation_is_shown_as_it_was_meant() {
    let mut diagram = example("hello");
    diagram.description = "One *server* greets, by [`Greeter`] and [a page](https://example.org/).\n\n\
        # Ways\n- first,\n  and more\n- `second`\n\n```\na  = b\n```\n<b>last</b> snake_case_word 2 * 3 * 4"
        .into();
    let Some(page) = Page::open("documentation on a page", &diagram, false) else { return };
    let shown = page.browser.text(
        "const parts = [...document.querySelectorAll('.details > *')];
         const end = parts.findIndex((one) => one.className === 'at');
         return parts.slice(1, end).map((one) => one.outerHTML).join('\\n')",
    );
    assert_eq!(
        shown,
        "<p>One <em>server</em> greets, by <code>Greeter</code> and <span title=\"https://example.org/\">a page</span>.</p>\n\
         <p><strong>Ways</strong></p>\n<ul><li>first, and more</li><li><code>second</code></li></ul>\n<pre>a  = b</pre>\n\
         <p>&lt;b&gt;last&lt;/b&gt; snake_case_word 2 * 3 * 4</p>"
    );
    page.end();
}

/// A banner above the diagram hides nothing of it, unless the user is looking at a part.
#[test]
fn all_of_it_stays_in_view_when_something_comes_above() {
    let Some(page) = Page::open("what comes above a picture", &example("connections"), false) else { return };
    let place = || page.browser.text("return document.getElementById('view').getAttribute('transform')");
    let bar = |padding: &str| {
        page.browser.run(&format!("document.getElementById('bar').style.paddingBottom = '{padding}'"));
        // Changes of size are reported before the second of two frames, so wait for both.
        page.browser.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    };
    let is_in_view = || {
        page.browser.run(
            "const [view, canvas] = ['view', 'canvas'].map((id) => document.getElementById(id).getBoundingClientRect());
             return view.bottom <= canvas.bottom",
        )
    };
    let whole = place();
    bar("400px");
    assert_ne!(place(), whole);
    assert_eq!(is_in_view(), json!(true));
    bar("");
    assert_eq!(place(), whole);
    page.browser.run("document.getElementById('canvas').focus()");
    page.browser.press("+");
    let near = place();
    bar("400px");
    assert_eq!(place(), near);
    page.end();
}

/// A large diagram does not fit into a narrow window. There, the view begins at the part that matters, and is readable.
#[test]
fn in_a_narrow_window_it_can_be_read_and_in_a_wide_one_all_is_seen() {
    let Some(page) = Page::open("a picture in a narrow window", &example("connections"), false) else { return };
    let seen = |what: &str| {
        page.browser.run(&format!(
            "const [view, canvas] = ['view', 'canvas'].map((id) => document.getElementById(id).getBoundingClientRect());
             return {what}"
        ))
    };
    let all = "view.right <= canvas.right && view.bottom <= canvas.bottom";
    let name = "document.querySelector('[data-id=\"r:storage.server\"] > .name').getBoundingClientRect()";
    let is_read = format!("{name}.height >= 9 && {name}.left >= 0");
    let is_map_shown = "getComputedStyle(document.getElementById('map')).display !== 'none'";
    assert_eq!((seen(all), seen(is_map_shown)), (json!(true), json!(false)), "there is nothing to find on the map");
    page.browser.resize(Some((420, 800)));
    page.browser.wait_for("it can be read", &format!("return {is_read}"));
    assert_eq!(seen(all), json!(false));
    page.browser.click("#signs");
    let legend = "return document.getElementById('legend').checkVisibility()";
    assert_eq!(page.browser.run(legend), json!(true));
    page.browser.click("#signs");
    assert_eq!(page.browser.run(legend), json!(false));
    page.browser.click("#fit");
    assert_eq!(seen(all), json!(true));
    page.browser.click("#zoom-in");
    page.browser.click("#zoom-in");
    assert_eq!(seen(all), json!(false));
    page.browser.resize(None);
    page.end();
}

#[test]
fn what_is_selected_within_a_folded_box_is_marked_there() {
    let Some(page) = Page::open("a selection in a folded box", &example("three_tier"), false) else { return };
    page.browser.run("wattle.select('db/postgres')");
    page.wait_for_details("db/postgres");
    page.browser.press("F");
    page.browser.wait_for("all is folded", "return document.querySelectorAll('.component').length === 0");
    let ringed = "return document.querySelector('.ring')?.parentNode.dataset.id";
    assert_eq!(page.browser.text(ringed), "r:db");
    // The dot of its state lies on the ring.
    assert_eq!(page.browser.text("return document.querySelector('.ring').nextSibling.getAttribute('class')"), "state");
    page.end();
}

#[test]
fn keys_and_mouse_move_about() {
    let Some(page) = Page::open("moving about on a page", &example("connections"), false) else { return };
    // Position and zoom, in thousandths.
    let at = || {
        let numbers = page.browser.run(
            "const transform = document.getElementById('view').getAttribute('transform');
             return transform.match(/-?[\\d.]+/g).map((number) => Math.round(1000 * Number(number)))",
        );
        let numbers = numbers.as_array().into_iter().flatten().filter_map(Value::as_i64).collect::<Vec<_>>();
        <[i64; 3]>::try_from(numbers).expect("x, y and how near")
    };
    let fitted = at();
    page.browser.run("document.getElementById('canvas').focus()");
    page.browser.press("-");
    assert!(at()[2] < fitted[2]);
    page.browser.press("++");
    let near = at();
    assert!(near[2] > fitted[2]);
    page.browser.drag(&json!([300, 700]), &json!([340, 690]));
    assert_eq!(at(), [near[0] + 40_000, near[1] - 10_000, near[2]]);
    let dragged = at();
    page.browser.click("#map");
    assert_ne!(at(), dragged);
    assert_eq!(at()[2], dragged[2]);
    page.browser.press("0");
    assert_eq!(at(), fitted);

    let infrastructure = page.count(".other");
    assert!(infrastructure > 5);
    page.browser.press("i");
    page.browser.wait_for("only servers", "return document.querySelectorAll('.other').length === 0");
    page.browser.press("i");
    page.browser
        .wait_for("everything", &format!("return document.querySelectorAll('.other').length === {infrastructure}"));

    page.browser.run("wattle.select('cell.manager/dmgr')");
    page.wait_for_details("cell.manager/dmgr");
    let middle = "const { x, w } = page.placeOf(page.selected()); return x + w / 2";
    let before = page.browser.run(middle).as_f64();
    page.browser.run("document.getElementById('canvas').focus()");
    page.browser.press(RIGHT);
    page.browser
        .wait_for("another", "return document.querySelector('.details h2').textContent !== 'cell.manager/dmgr'");
    assert!(page.browser.run(middle).as_f64() > before, "it is to the right");
    page.browser.press(ESCAPE);
    page.wait_for_details("connections");
    assert_eq!(page.count(".selected"), 0);

    // During a search, all matches are marked.
    page.browser.press("/");
    page.browser.press("node mount");
    assert_eq!(page.browser.run("return document.querySelectorAll('#found li').length"), json!(2));
    let marked = "return [...document.querySelectorAll('.hit')].map((one) => one.dataset.id).sort()";
    assert_eq!(page.browser.run(marked), json!(["c:cell.node1/mount", "c:cell.node2/mount"]));
    page.browser.press(ESCAPE);
    assert_eq!(page.browser.run(marked), json!([]));
    // Prefix matches come first.
    page.browser.press("/web");
    let first = page.browser.text("return document.querySelector('#found li').firstChild.textContent");
    assert!(first.starts_with("web"), "{first}");
    page.end();
}

#[test]
fn everything_can_be_read_in_the_light_and_in_the_dark() {
    let Some(page) = Page::open("colours of a page", &example("connections"), false) else { return };
    page.browser.run("wattle.select('cell.manager/dmgr')");
    page.wait_for_details("cell.manager/dmgr");
    // The contrast of text and background as defined by WCAG; 4.5 is its limit.
    let hard = "const rgb = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
          const share = Number(part) / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        const light = (color) => { const [r, g, b] = rgb(color); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const style = (selector) => getComputedStyle(document.querySelector(selector));
        const pairs = [
          ['.server > .name', 'fill', '.server > rect', 'fill'],
          ['.server > .faint', 'fill', '.server > rect', 'fill'],
          ['.component > .name', 'fill', '.component > rect', 'fill'],
          ['.component > .faint', 'fill', '.component > rect', 'fill'],
          ['.network > .name', 'fill', 'body', 'backgroundColor'],
          ['.details h2', 'color', '#side', 'backgroundColor'],
          ['.details .at', 'color', '#side', 'backgroundColor'],
          ['.details .link', 'color', '#side', 'backgroundColor'],
          ['.details pre', 'color', '.details pre', 'backgroundColor'],
          ['#query', 'color', '#query', 'backgroundColor'],
          ['#fold-all', 'color', '#fold-all', 'backgroundColor'],
        ];
        return pairs.flatMap(([front, of, back, ground]) => {
          const [a, b] = [light(style(front)[of]), light(style(back)[ground])].sort((a, b) => b - a);
          const contrast = (a + 0.05) / (b + 0.05);
          return contrast < 4.5 ? [`${front} on ${back}: ${contrast.toFixed(1)}`] : [];
        })";
    let ground = "return getComputedStyle(document.body).backgroundColor";
    let light = page.browser.text(ground);
    assert_eq!(page.browser.run(hard), json!([]), "in the light");
    page.browser.set_dark(true);
    let dark = page.browser.text(ground);
    assert_ne!(dark, light);
    assert_eq!(page.browser.run(hard), json!([]), "in the dark");
    // An explicit choice selects the other theme.
    page.browser.press("t");
    assert_eq!(page.browser.text(ground), light);
    assert_eq!(page.browser.run(hard), json!([]), "in the light, as it was chosen");
    page.browser.press("t");
    assert_eq!(page.browser.text(ground), dark);
    page.end();
}
