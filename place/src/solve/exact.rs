//! The problem as a mixed integer program, with one variable for each server and host, and constraints.
//!
//! Distances of wires and preferences have variables of their own. These have costs, so they become as small as the
//! constraints allow.

use microlp::{
    ComparisonOp, Error, OptimizationDirection, Problem, SolveOptions, SolveOutcome, TerminationReason, Variable,
};

use super::Effort;
use super::instance::{Group, Instance};
use super::state::{NOWHERE, State};

/// The result of the program.
pub(super) enum Exact {
    /// A placement, and a lower bound of the cost.
    Found { on: Vec<u32>, bound: i64 },
    /// There is no placement.
    Impossible,
    /// The program is too large, or took too long.
    Unknown,
}

/// Solves the program, starting from the placement `start` if there is one.
pub(super) fn exact(of: &Instance, start: Option<&State<'_>>, effort: Effort) -> Exact {
    let size: usize = (0..of.servers).map(|server| of.open(server).len()).sum();
    let places: usize = of.within.iter().map(Vec::len).filter(|places| *places > 1).sum();
    if size > effort.variables || of.pairs.len() * places > effort.variables * 2 {
        return Exact::Unknown;
    }
    let mut program = Program::new(of);
    program.capacities();
    of.groups.iter().for_each(|group| program.group(group));
    of.pairs.iter().for_each(|pair| program.wire(*pair));
    let mut options = SolveOptions::default();
    options.node_limit = Some(effort.nodes);
    options.warm_start = start.map(|start| program.hint(start));
    let outcome = match program.problem.solve_with(options) {
        Ok(SolveOutcome::Solution(solution)) => solution,
        Err(Error::Infeasible) => return Exact::Impossible,
        Ok(SolveOutcome::Interrupted(_)) | Err(_) => return Exact::Unknown,
    };
    let mut state = State::new(of);
    for server in 0..of.servers {
        let chosen = program.on[server].iter().find(|(_, variable)| outcome.var_value(*variable) > 0.5);
        state.shift(server, chosen.map_or(NOWHERE, |(host, _)| *host));
    }
    if state.worth.wrong > 0 {
        return Exact::Unknown;
    }
    let proven = outcome.termination_reason() == TerminationReason::ProvenOptimal;
    let bound = if proven { Some(outcome.objective()) } else { outcome.stats().best_bound };
    // Costs are whole numbers of the unit. Large sums are less exact.
    #[expect(clippy::cast_possible_truncation, reason = "no cost is that large")]
    let bound = bound.map_or(0, |bound| (bound - 1e-4 - bound.abs() * 1e-7).ceil() as i64 * program.unit);
    let better = start.is_none_or(|start| state.worth.cost <= start.worth.cost);
    let on = if better { state.on } else { start.map(|start| start.on.clone()).unwrap_or_default() };
    Exact::Found { on, bound }
}

struct Program<'i> {
    of: &'i Instance,
    problem: Problem,
    /// The hosts of each server, each with its variable.
    on: Vec<Vec<(u32, Variable)>>,
    /// The common divisor of all costs. The program counts in it, because its arithmetic is exact for small numbers
    /// only.
    unit: i64,
}

fn float(number: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "amounts and costs are far smaller")]
    let float = number as f64;
    float
}

/// The greatest common divisor.
fn divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { divisor(other, one % other) }
}

impl<'i> Program<'i> {
    fn new(of: &'i Instance) -> Self {
        let unit = of.costs().fold(0, divisor).max(1);
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let mut on = Vec::with_capacity(of.servers);
        for server in 0..of.servers {
            let cost = |host: u32| -> i64 {
                let missed = of.wishes[server].iter().filter(|(mask, _)| !of.masks[*mask][host as usize]);
                missed.map(|(_, weight)| weight).sum()
            };
            let variables: Vec<(u32, Variable)> =
                of.open(server).iter().map(|host| (*host, problem.add_binary_var(float(cost(*host) / unit)))).collect();
            problem.add_constraint(variables.iter().map(|(_, one)| (*one, 1.0)), ComparisonOp::Eq, 1.0);
            on.push(variables);
        }
        Self { of, problem, on, unit }
    }

    /// Adds the constraints for the capacity of each host.
    fn capacities(&mut self) {
        let of = self.of;
        let mut guests: Vec<Vec<(usize, Variable)>> = vec![Vec::new(); of.hosts];
        for (server, variables) in self.on.iter().enumerate() {
            variables.iter().for_each(|(host, variable)| guests[*host as usize].push((server, *variable)));
        }
        for (host, guests) in guests.iter().enumerate() {
            for resource in 0..of.resources {
                let asks: Vec<(Variable, i64)> =
                    guests.iter().map(|(server, variable)| (*variable, of.asks(*server)[resource])).collect();
                let free = of.free[host * of.resources + resource];
                if asks.iter().map(|(_, asks)| asks).sum::<i64>() <= free {
                    continue;
                }
                // Amounts are fractions of the free capacity, so that all rows have a similar scale.
                let unit = float(free.max(1));
                let row = asks.iter().filter(|(_, asks)| *asks > 0).map(|(one, asks)| (*one, float(*asks) / unit));
                self.problem.add_constraint(row, ComparisonOp::Le, float(free) / unit);
            }
        }
    }

    /// The variables of a server in each place of a level.
    fn by_place(&self, server: u32, level: usize) -> Vec<Vec<Variable>> {
        let mut all = vec![Vec::new(); self.of.within[level].len()];
        for (host, variable) in &self.on[server as usize] {
            all[self.of.at[level][*host as usize] as usize].push(*variable);
        }
        all
    }

    fn group(&mut self, group: &Group) {
        let members: Vec<Vec<Vec<Variable>>> =
            group.members.iter().map(|member| self.by_place(*member, group.level)).collect();
        let cost = float(group.weight.unwrap_or(0) / self.unit);
        if !group.is_apart && group.weight.is_some() {
            // All places but one have a cost.
            let constant = self.problem.add_var(-cost, (1.0, 1.0));
            let _ = constant;
        }
        let mut taken = Vec::new();
        for place in 0..self.of.within[group.level].len() {
            let here: Vec<(Variable, f64)> =
                members.iter().flat_map(|member| &member[place]).map(|variable| (*variable, 1.0)).collect();
            if here.is_empty() {
                continue;
            }
            if group.is_apart {
                let mut row = here;
                if group.weight.is_some() {
                    row.push((self.problem.add_var(cost, (0.0, f64::INFINITY)), -1.0));
                }
                self.problem.add_constraint(row, ComparisonOp::Le, f64::from(group.most));
            } else {
                let one = self.problem.add_var(cost, (0.0, 1.0));
                taken.push((one, 1.0));
                for member in &members {
                    let row = member[place].iter().map(|variable| (*variable, 1.0)).chain([(one, -1.0)]);
                    self.problem.add_constraint(row, ComparisonOp::Le, 0.0);
                }
            }
        }
        if !group.is_apart && group.weight.is_none() {
            self.problem.add_constraint(taken, ComparisonOp::Eq, 1.0);
        }
    }

    /// Adds a wire, which costs its bandwidth for each level that its ends do not share.
    fn wire(&mut self, (one, other, bandwidth): (u32, u32, i64)) {
        for level in 0..4 {
            if self.of.within[level].len() < 2 {
                continue;
            }
            let differs = self.problem.add_var(float(bandwidth / self.unit), (0.0, 1.0));
            let (here, there) = (self.by_place(one, level), self.by_place(other, level));
            for (here, there) in here.into_iter().zip(there).filter(|(here, _)| !here.is_empty()) {
                let here = here.into_iter().map(|variable| (variable, 1.0));
                let there = there.into_iter().map(|variable| (variable, -1.0));
                let row: Vec<(Variable, f64)> = here.chain(there).chain([(differs, -1.0)]).collect();
                self.problem.add_constraint(row, ComparisonOp::Le, 0.0);
            }
        }
    }

    /// A placement as the start of the search.
    fn hint(&self, start: &State<'_>) -> Vec<(Variable, f64)> {
        let all = self.on.iter().enumerate();
        all.flat_map(|(server, variables)| {
            variables.iter().map(move |(host, one)| (*one, f64::from(u8::from(start.on[server] == *host))))
        })
        .collect()
    }
}
