//! Boxes do not overlap, and no link crosses a box.

use proptest::prelude::*;

use super::{Item, Link, Step, place};

fn level() -> impl Strategy<Value = (Vec<Item>, Vec<Link>)> {
    (1_usize..40).prop_flat_map(|count| {
        let sizes = prop::collection::vec((20.0..400.0_f64, 20.0..300.0_f64), count);
        let ends = prop::collection::vec((0..count, 0..count, 0.0..1.0_f64, 0.0..1.0_f64), 0..80);
        (sizes, ends).prop_map(|(sizes, ends)| {
            let items: Vec<_> = sizes.into_iter().map(|(w, h)| Item { w, h, border: None, member: None }).collect();
            let link = |(a, b, from_y, to_y): (usize, usize, f64, f64)| {
                let is_back = a > b && a % 3 == 0;
                let (from, to) = if is_back { (a, b) } else { (a.min(b), a.max(b)) };
                let bundle = if is_back { 1000 + from } else { from };
                let (from_y, to_y) = (from_y * items[from].h, to_y * items[to].h);
                (from != to).then_some(Link { from, to, from_y, to_y, bundle, weight: 1.0, is_back })
            };
            let links = ends.into_iter().filter_map(link).collect();
            (items, links)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn boxes_do_not_overlap_and_links_go_round_them((items, links) in level()) {
        let placed = place(&items, &links);
        let boxes: Vec<_> = items.iter().zip(&placed.at).map(|(item, (x, y))| (*x, *y, x + item.w, y + item.h)).collect();
        for (index, a) in boxes.iter().enumerate() {
            prop_assert!(a.0 >= 0.0 && a.1 >= -1e-6 && a.2 <= placed.w + 1e-6 && a.3 <= placed.h + 1e-6);
            for b in &boxes[index + 1..] {
                prop_assert!(a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1, "{a:?} {b:?}");
            }
        }
        for (link, &((mut x, mut y), ref steps)) in links.iter().zip(&placed.paths) {
            for step in steps {
                let (to_x, to_y, out) = match *step {
                    Step::Curve(to_x, to_y) | Step::Line(to_x, to_y) => (to_x, to_y, 0.0),
                    Step::Turn(to_x, to_y, out) => (to_x, to_y, 0.75 * out),
                };
                // Curves stay between the layers, so their whole extent must be free. For lines, only the line itself must
                // be.
                let (left, right) = (x.min(to_x).min(to_x + out) + 0.01, x.max(to_x).max(to_x + out) - 0.01);
                let (top, bottom) = (y.min(to_y) + 0.01, y.max(to_y) - 0.01);
                for (index, b) in boxes.iter().enumerate().filter(|(index, _)| *index != link.from && *index != link.to) {
                    let apart = right <= b.0 || b.2 <= left || bottom.max(top) <= b.1 || b.3 <= top.min(bottom);
                    prop_assert!(apart, "link {link:?} crosses box {index} {b:?}: {x},{y} {step:?}");
                }
                (x, y) = (to_x, to_y);
            }
            prop_assert_eq!((x, y), (placed.at[link.to].0, placed.at[link.to].1 + link.to_y));
        }
    }
}
