//! The requirements of types on their properties: each line of `templates/rules.txt` is a resource that Heat accepts or
//! refuses.

use std::fs;

use crate::corpus::Case;
use crate::counts::{RULES, RULES_ACCEPTED};
use crate::verdict::assert_alike;

/// Resources of which we say something else than Heat, and why.
const DISAGREEMENTS: &[(&str, &str)] = &[
    ("AWS::CloudFormation::Stack.1", "what is behind a URL is not read here"),
    ("AWS::CloudFormation::Stack.2", "what is behind a URL is not read here"),
    ("AWS::ElasticLoadBalancing::LoadBalancer.1", "clouds say what its AWS::CloudWatch::Alarm stands for"),
    ("AWS::ElasticLoadBalancing::LoadBalancer.2", "clouds say what its AWS::CloudWatch::Alarm stands for"),
];

#[test]
fn resources_are_judged_alike() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut numbers = std::collections::HashMap::<&str, usize>::new();
    let cases: Vec<_> = include_str!("../../templates/rules.txt")
        .lines()
        .map(|line| {
            let (ty, properties) = line.split_once(' ').expect("a type and properties");
            let number = numbers.entry(ty).or_default();
            *number += 1;
            let path = folder.path().join(format!("{ty}.{number}"));
            let template = format!(
                "heat_template_version: 2018-08-31\nresources:\n  other: {{type: OS::Heat::TestResource}}\n  \
                 judged:\n    type: {ty}\n    properties: {properties}\n"
            );
            fs::write(&path, template).expect("a new file");
            Case::of(path)
        })
        .collect();
    assert_eq!(cases.len(), RULES);
    assert_eq!(assert_alike(&cases, DISAGREEMENTS), RULES_ACCEPTED);
}
