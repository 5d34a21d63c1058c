//! AWS-compatible types.

use crate::properties::is_true;
use crate::resource::values::{map, true_of};
use crate::resource::{Change, Class, Found, Refers, Ruled, Subject};

use super::heat::group;
use super::rule::{broken, launch_configuration, sizes, step};

pub(super) const CLASSES: &[Class] = &[
    Class {
        ty: "AWS::AutoScaling::AutoScalingGroup",
        validates: &[
            launch_configuration,
            |subject| sizes(subject, ["MinSize", "MaxSize", "DesiredCapacity"]),
            instance_or_configuration,
        ],
        update_policy: || group::amazon_policy("AutoScalingRollingUpdate"),
        group: Some(group::of(|group, _| {
            let desired = group.property("DesiredCapacity");
            let size = if is_true(&desired) { desired } else { group.property("MinSize") };
            Some(group::instances(&size))
        })),
        ..Class::PLAIN
    },
    Class {
        ty: "AWS::AutoScaling::LaunchConfiguration",
        validates: &[snapshots, launch],
        replaced_by_metadata: true,
        ..Class::PLAIN
    },
    Class {
        ty: "AWS::AutoScaling::ScalingPolicy",
        validates: &[|subject| step(subject, "AdjustmentType", "MinAdjustmentStep", "PercentChangeInCapacity")],
        ..Class::PLAIN
    },
    Class { ty: "AWS::CloudFormation::Stack", any_attribute: true, ..Class::PLAIN },
    Class { ty: "AWS::EC2::EIPAssociation", validates: &[address], replaces: other_target, ..Class::PLAIN },
    Class { ty: "AWS::EC2::Instance", validates: &[interfaces, snapshots], notes: resized, ..Class::PLAIN },
    Class {
        ty: "AWS::EC2::Volume",
        snapshots: true,
        immutable: &["AvailabilityZone", "Size", "SnapshotId", "Tags"],
        ..Class::PLAIN
    },
    Class { ty: "AWS::EC2::VolumeAttachment", immutable: &["InstanceId", "VolumeId", "Device"], ..Class::PLAIN },
    Class { ty: "AWS::EC2::VPCGatewayAttachment", depends: route_tables, ..Class::PLAIN },
    Class { ty: "AWS::S3::Bucket", refers: Refers::None, ..Class::PLAIN },
];

fn resized(change: &Change<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if change.has("InstanceType") {
        notes.push("Nova resizes the server: it shuts down and starts again with the same disk".to_owned());
    }
    if change.has("NetworkInterfaces") || change.has("SubnetId") {
        notes.push(
            "Heat detaches and attaches interfaces while the server runs: it may get other addresses, and its system has to \
             pick up the change"
                .to_owned(),
        );
    }
    notes
}

/// The cloud's route tables, because the gateway is attached to their routers.
fn route_tables(subject: Subject<'_>) -> Found<'_> {
    Ok(subject.others_with("AWS::EC2::RouteTable", "VpcId", &subject.own("VpcId")?))
}

fn interfaces(subject: Subject<'_>) -> Ruled {
    if subject.is("NetworkInterfaces")? && (subject.is("SecurityGroups")? || subject.is("SecurityGroupIds")?) {
        return broken("`NetworkInterfaces` and security groups exclude each other", "remove one of them");
    }
    Ok(None)
}

fn snapshots(subject: Subject<'_>) -> Ruled {
    for device in subject.maps("BlockDeviceMappings")? {
        let ebs = device.get("Ebs").cloned().map(map).unwrap_or_default();
        if !true_of(&ebs, "SnapshotId") {
            return broken("an item of `BlockDeviceMappings` has no `Ebs.SnapshotId`", "add one");
        }
    }
    Ok(None)
}

fn launch(subject: Subject<'_>) -> Ruled {
    if subject.is("InstanceId")? || subject.is("ImageId")? && subject.is("InstanceType")? {
        return Ok(None);
    }
    broken("without `InstanceId`, `ImageId` and `InstanceType` are required", "add them")
}

fn address(subject: Subject<'_>) -> Ruled {
    let (eip, instance) = (subject.is("EIP")?, subject.is("InstanceId")?);
    if eip == subject.is("AllocationId")? {
        return broken("one of `EIP` and `AllocationId` is required", "set one of them");
    }
    if eip && !instance {
        return broken("`EIP` needs `InstanceId`", "add one");
    }
    if !instance && !subject.is("NetworkInterfaceId")? {
        return broken("one of `InstanceId` and `NetworkInterfaceId` is required", "set one of them");
    }
    Ok(None)
}

/// The address and its target can each change in place, but not both at once.
fn other_target(change: &Change<'_>) -> Option<Vec<String>> {
    let is_target = |name: &str| change.has(name) && change.after.value(name).is_some();
    let replaced = (change.has("AllocationId") || change.has("EIP"))
        && (is_target("InstanceId") || is_target("NetworkInterfaceId"));
    replaced.then(Vec::new)
}

fn instance_or_configuration(subject: Subject<'_>) -> Ruled {
    if subject.is("InstanceId")? == subject.is("LaunchConfigurationName")? {
        return broken("one of `InstanceId` and `LaunchConfigurationName` is required", "set one of them");
    }
    Ok(None)
}
