//! From program to files: W(N) by stage and as a whole process, compared to the underlying serialisers.
//!
//! `cargo bench -p wattle-tests --bench language [-- N...]` prints the tables of `docs/benchmarks.md`. Every figure is
//! the median of at least five runs; every ratio is between figures of one run of this program.

use std::env;
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use wattle::author::Blueprint;
use wattle::check::{Limits, check, has_errors};
use wattle::lower::{Lowered, Options, lower};
use wattle_tests::workload::{Size, workload};

/// Set for the child that is measured as a whole process.
const CHILD: &str = "WATTLE_BENCH_CHILD";

fn main() -> ExitCode {
    if env::var_os(CHILD).is_some() {
        return child();
    }
    let sizes: Vec<u32> = env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![100, 1_000, 10_000, 100_000] } else { sizes };
    stages(&sizes);
    processes(&sizes);
    serialisers();
    ExitCode::SUCCESS
}

/// The blueprint's program itself, which then reports its costs.
fn child() -> ExitCode {
    let code = wattle::main(workload);
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    // utime and stime, in ticks of 10 ms (proc(5)).
    let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().expect("ticks")).sum();
    let _ = writeln!(std::io::stderr(), "measured {} {}", peak.trim().trim_end_matches(" kB"), ticks * 10);
    code
}

fn runs(tiers: u32) -> usize {
    if tiers >= 10_000 { 5 } else { 15 }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// The median milliseconds of `work`, over `runs` runs after a warm-up.
fn time<T>(runs: usize, mut work: impl FnMut() -> T) -> f64 {
    drop(work());
    let figures = (0..runs).map(|_| {
        let start = Instant::now();
        let result = work();
        let elapsed = start.elapsed();
        drop(result);
        elapsed.as_secs_f64() * 1e3
    });
    median(figures.collect())
}

fn options() -> Options {
    let mut options = Options::default();
    options.decisions = false;
    options
}

fn stages(sizes: &[u32]) {
    println!("## Stages, milliseconds\n");
    println!("| N | build | check | lower | emit YAML | emit JSON | emit seed | template MB (YAML, JSON) | seed MB |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut before: Option<(u32, [f64; 6])> = None;
    for &tiers in sizes {
        let model = workload.model(Size::of(tiers));
        let lowered = lower(&model, &options());
        let runs = runs(tiers);
        assert!(!has_errors(&check(&model, &Limits::default())));
        let figures = [
            time(runs, || workload.model(Size::of(tiers))),
            time(runs, || check(&model, &Limits::default())),
            time(runs, || lower(&model, &options())),
            time(runs, || yaml(&lowered)),
            time(runs, || json(&lowered)),
            time(runs, || seed(&lowered)),
        ];
        let milliseconds: Vec<String> = figures.iter().map(|figure| format!("{figure:.2}")).collect();
        let [as_yaml, as_json, as_seed] = [yaml(&lowered), json(&lowered), seed(&lowered)].map(megabytes);
        let sizes = format!("{as_yaml:.2}, {as_json:.2} | {as_seed:.2}");
        println!("| {tiers} | {} | {sizes} |", milliseconds.join(" | "));
        if let Some((fewer, earlier)) = before {
            let exponent = |(now, then): (&f64, &f64)| (now / then).ln() / (f64::from(tiers) / f64::from(fewer)).ln();
            let exponents: Vec<String> =
                figures.iter().zip(&earlier).map(|pair| format!("{:.2}", exponent(pair))).collect();
            println!("| growth exponent | {} | | |", exponents.join(" | "));
        }
        before = Some((tiers, figures));
    }
}

fn megabytes(bytes: usize) -> f64 {
    f64::from(u32::try_from(bytes).expect("less than 4 GB")) / 1e6
}

/// Counts the bytes written, so that the figures are independent of disks.
#[derive(Default)]
struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn yaml(lowered: &Lowered) -> usize {
    let mut out = Count::default();
    for template in std::iter::once(&lowered.template).chain(lowered.nested.values()) {
        wattle::emit::yaml(template, &mut out).expect("emits");
    }
    out.0
}

fn json(lowered: &Lowered) -> usize {
    let mut out = Count::default();
    for template in std::iter::once(&lowered.template).chain(lowered.nested.values()) {
        wattle::emit::json(template, &mut out).expect("emits");
    }
    out.0
}

fn seed(lowered: &Lowered) -> usize {
    let mut out = Count::default();
    lowered.seed.write(&mut out).expect("writes");
    out.0
}

fn processes(sizes: &[u32]) {
    println!("\n## Whole process, from program start to files on disk\n");
    println!("| N | wall ms | CPU ms | peak MB | growth exponent of wall |");
    println!("|---|---|---|---|---|");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut before: Option<(u32, f64)> = None;
    for &tiers in sizes {
        let (mut walls, mut cpus, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..=runs(tiers) {
            let start = Instant::now();
            let output = Command::new(env::current_exe().expect("a path"))
                .env(CHILD, "1")
                .arg(format!("--set=tiers={tiers}"))
                .arg("--out")
                .arg(folder.path())
                .stdout(Stdio::null())
                .output()
                .expect("starts");
            walls.push(start.elapsed().as_secs_f64() * 1e3);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{said}");
            let measured = said.lines().rev().find_map(|line| line.strip_prefix("measured ")).expect("figures");
            let (peak, cpu) = measured.split_once(' ').expect("two figures");
            peaks.push(peak.parse::<f64>().expect("kB") / 1e3);
            cpus.push(cpu.parse::<f64>().expect("ms"));
        }
        // The first run warms the page cache.
        let (wall, cpu, peak) = (median(walls.split_off(1)), median(cpus.split_off(1)), median(peaks.split_off(1)));
        let exponent = before.map_or(String::new(), |(fewer, earlier)| {
            format!("{:.2}", (wall / earlier).ln() / (f64::from(tiers) / f64::from(fewer)).ln())
        });
        println!("| {tiers} | {wall:.1} | {cpu:.0} | {peak:.1} | {exponent} |");
        before = Some((tiers, wall));
    }
}

/// Compares our serialisers to the underlying ones: the same tree in the same run, each to a writer that only counts.
fn serialisers() {
    let mut options = options();
    options.stack_resources = usize::MAX;
    options.stack_bytes = usize::MAX;
    let template = lower(&workload.model(Size::of(10_000)), &options).template;
    let rounds = 9;
    let (mut ours_yaml, mut saphyr, mut ours_json, mut serde) = (vec![], vec![], vec![], vec![]);
    for _ in 0..rounds {
        let once = |into: &mut Vec<f64>, work: &dyn Fn() -> usize| {
            let start = Instant::now();
            assert!(work() > 1_000_000);
            into.push(start.elapsed().as_secs_f64() * 1e3);
        };
        once(&mut ours_yaml, &|| {
            let mut out = Count::default();
            wattle::emit::yaml(&template, &mut out).expect("emits");
            out.0
        });
        once(&mut saphyr, &|| serde_saphyr::to_string(&template).expect("emits").len());
        once(&mut ours_json, &|| {
            let mut out = Count::default();
            wattle::emit::json(&template, &mut out).expect("emits");
            out.0
        });
        once(&mut serde, &|| {
            let mut out = std::io::BufWriter::new(Count::default());
            serde_json::to_writer(&mut out, &template).expect("emits");
            out.into_inner().map_err(|_| ()).expect("counts").0
        });
    }
    let ratio = |theirs: &[f64], ours: &[f64]| median(theirs.iter().zip(ours).map(|(a, b)| a / b).collect());
    println!("\n## Serialisers, the template of W(10,000) uncut\n");
    println!("| what | median ms | speed against the library |");
    println!("|---|---|---|");
    let (yaml_ratio, json_ratio) = (ratio(&saphyr, &ours_yaml), ratio(&serde, &ours_json));
    println!("| serde-saphyr, its defaults | {:.1} | |", median(saphyr));
    println!("| `emit::yaml` | {:.1} | {yaml_ratio:.2} |", median(ours_yaml));
    println!("| serde_json | {:.1} | |", median(serde));
    println!("| `emit::json` | {:.1} | {json_ratio:.2} |", median(ours_json));
}
