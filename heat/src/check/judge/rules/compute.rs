//! Servers and volumes.

use crate::evaluate::{Mode, Scope, Value};
use crate::properties::is_true;

use super::super::class::{has, map};
use super::super::{Judge, Subject};
use super::{Ruled, any_has, broken, count, first, not_both, one_of, true_of};

impl Judge<'_, '_> {
    pub(super) fn compute(&self, subject: Subject<'_>, ty: &str) -> Ruled {
        match ty {
            "OS::Nova::Server" => {
                first!(self.deployments(subject), devices(subject), networks(subject), personality(subject),)
            }
            "OS::Nova::KeyPair" => {
                if subject.is("public_key")? {
                    return Ok(None);
                }
                broken("`public_key` must be there: Nova makes no keys any more", "give it one")
            }
            "OS::Cinder::Volume" => volume(subject),
            "OS::Cinder::Quota" | "OS::Nova::Quota" => one_of(subject, &all(subject)),
            "OS::Cinder::VolumeType" => {
                if subject.is("projects")? && subject.is("is_public")? {
                    return broken("a public volume type has no `projects`", "set `is_public: false`");
                }
                Ok(None)
            }
            "AWS::EC2::Instance" => first!(amazon_instance(subject), snapshots(subject)),
            "AWS::EC2::EIPAssociation" => address(subject),
            "AWS::AutoScaling::LaunchConfiguration" => first!(snapshots(subject), launch(subject)),
            "AWS::AutoScaling::AutoScalingGroup" => {
                first!(
                    self.launch_configuration(subject),
                    super::heat::sizes(subject, ["MinSize", "MaxSize", "DesiredCapacity"]),
                    instance_or_configuration(subject)
                )
            }
            "AWS::AutoScaling::ScalingPolicy" => {
                super::heat::step(subject, "AdjustmentType", "MinAdjustmentStep", "PercentChangeInCapacity")
            }
            _ => Ok(None),
        }
    }

    /// Heat itself writes them there.
    fn deployments(&self, subject: Subject<'_>) -> Ruled {
        if subject.text("user_data_format")? != "SOFTWARE_CONFIG" || self.around.is_some() {
            return Ok(None);
        }
        let resource = self.stack.loaded.template.resources.get(subject.name);
        let scope = Scope::new(self.stack.loaded, Mode::Validation);
        let metadata = resource.and_then(|resource| resource.metadata.as_ref()).map(|node| scope.value(node));
        match metadata {
            Some(Ok(Value::Map(items))) if items.contains_key("deployments") => broken(
                "metadata has a key `deployments`, which is Heat's own with `user_data_format: SOFTWARE_CONFIG`",
                "call the key something else",
            ),
            _ => Ok(None),
        }
    }

    /// A group's launch configuration is a resource that it refers to.
    pub(super) fn launch_configuration(&self, subject: Subject<'_>) -> Ruled {
        let key = "LaunchConfigurationName";
        let name = subject.text(key)?;
        if name.is_empty() {
            return Ok(None);
        }
        let refers = subject.resource.references.iter().any(|reference| reference.name == name);
        let target = self.stack.resources.get(&name).map(|target| target.class.name());
        if refers && target == Some("AWS::AutoScaling::LaunchConfiguration") {
            return Ok(None);
        }
        broken(format!("`{key}` must refer to a launch configuration of this template"), "write `{get_resource: NAME}`")
    }
}

/// All properties of the resource's type.
fn all(subject: Subject<'_>) -> Vec<&str> {
    let of_quota = |key: &&str| !matches!(*key, "project");
    subject.resource.properties().schema.keys().map(|key| &**key).filter(of_quota).collect()
}

fn devices(subject: Subject<'_>) -> Ruled {
    let (older, newer) = (subject.maps("block_device_mapping")?, subject.maps("block_device_mapping_v2")?);
    let image = subject.has("image")?;
    if !older.is_empty() && !newer.is_empty() {
        return not_both(subject, "block_device_mapping", "block_device_mapping_v2");
    }
    let mut bootable = image;
    for device in &older {
        bootable |= device.get("device_name").and_then(Value::as_text) == Some("vda");
        if count(device, &["volume_id", "snapshot_id"]) != 1 {
            return broken("a device is of a `volume_id` or of a `snapshot_id`", "give one of them");
        }
    }
    let mut sources = usize::from(image);
    for device in &newer {
        let ephemeral = ["ephemeral_size", "ephemeral_format"];
        // Heat's `or`: an empty one is as good as none, except for the last.
        let is_ephemeral = true_of(device, ephemeral[0]) || has(device, ephemeral[1]);
        let parts = count(device, &["volume_id", "snapshot_id", "image", "swap_size"]) + usize::from(is_ephemeral);
        if parts != 1 {
            return broken(
                "a device is one of `volume_id`, `snapshot_id`, `image`, `swap_size`, `ephemeral_size` or `ephemeral_format`",
                "give one of them",
            );
        }
        let first = device.get("boot_index").is_none_or(|index| !is_true(index));
        let own = count(device, &["volume_id", "snapshot_id", "image"]);
        if own > 0 && first {
            bootable = true;
            sources += own;
        }
    }
    if !bootable {
        return broken("neither an image nor a volume to boot from", "give it `image`");
    }
    if !newer.is_empty() && sources != 1 {
        return broken("more than one device to boot from", "give the others a `boot_index` of -1");
    }
    Ok(None)
}

fn networks(subject: Subject<'_>) -> Ruled {
    let networks = subject.maps("networks")?;
    for network in &networks {
        let allocate = true_of(network, "allocate_network");
        if count(network, &["network", "port", "subnet"]) == 0 && !allocate {
            return broken(
                "an item of `networks` names no `network`, `port`, `subnet` or `allocate_network`",
                "give one of them",
            );
        }
        let keys = network.values().filter(|value| super::is_there(value)).count();
        if allocate && (keys != 1 || networks.len() != 1) {
            return broken("`allocate_network` stands for itself", "take the others away");
        }
        if true_of(network, "fixed_ip") && has(network, "port") {
            return broken("`fixed_ip` and `port` exclude each other", "give the port its address");
        }
        let only_network = has(network, "network") && count(network, &["port", "subnet"]) == 0;
        if has(network, "floating_ip") && only_network && !true_of(network, "port_extra_properties") {
            return broken("a `floating_ip` needs a port", "give `port` or `subnet`");
        }
    }
    if any_has(&networks, "port") && subject.is("security_groups")? {
        return broken(
            "`security_groups` and a `port` exclude each other: a port has groups of its own",
            "give them to the port",
        );
    }
    Ok(None)
}

fn personality(subject: Subject<'_>) -> Ruled {
    if subject.is("personality")? {
        return broken("Nova takes no `personality` any more", "use `user_data`");
    }
    if map(subject.own("metadata")?).len() > 128 {
        return broken("metadata of more than 128 entries", "give fewer");
    }
    Ok(None)
}

fn volume(subject: Subject<'_>) -> Ruled {
    if subject.is("backup_id")? {
        return Ok(None);
    }
    let sizeless = usize::from(subject.is("snapshot_id")?) + usize::from(subject.is("source_volid")?);
    let sources = sizeless + usize::from(subject.is("image")?) + usize::from(subject.is("imageRef")?);
    if !subject.has("size")? {
        if sizeless != 1 || sources != 1 {
            return broken("without `size` it is made of one `source_volid` or `snapshot_id`", "give it a `size`");
        }
    } else if subject.is("size")? && sources > 1 {
        return broken("it is made of one of `image`, `source_volid` and `snapshot_id`", "take the others away");
    }
    Ok(None)
}

fn amazon_instance(subject: Subject<'_>) -> Ruled {
    if subject.is("NetworkInterfaces")? && (subject.is("SecurityGroups")? || subject.is("SecurityGroupIds")?) {
        return broken("`NetworkInterfaces` and security groups exclude each other", "take one of them away");
    }
    Ok(None)
}

fn snapshots(subject: Subject<'_>) -> Ruled {
    for device in subject.maps("BlockDeviceMappings")? {
        let ebs = device.get("Ebs").cloned().map(map).unwrap_or_default();
        if !true_of(&ebs, "SnapshotId") {
            return broken("an item of `BlockDeviceMappings` is without `Ebs.SnapshotId`", "give it one");
        }
    }
    Ok(None)
}

fn launch(subject: Subject<'_>) -> Ruled {
    if subject.is("InstanceId")? || subject.is("ImageId")? && subject.is("InstanceType")? {
        return Ok(None);
    }
    broken("without `InstanceId`, `ImageId` and `InstanceType` must be there", "give them")
}

fn address(subject: Subject<'_>) -> Ruled {
    let (eip, instance) = (subject.is("EIP")?, subject.is("InstanceId")?);
    if eip == subject.is("AllocationId")? {
        return broken("one of `EIP` and `AllocationId` must be there", "give one of them");
    }
    if eip && !instance {
        return broken("`EIP` needs `InstanceId`", "give it one");
    }
    if !instance && !subject.is("NetworkInterfaceId")? {
        return broken("one of `InstanceId` and `NetworkInterfaceId` must be there", "give one of them");
    }
    Ok(None)
}

fn instance_or_configuration(subject: Subject<'_>) -> Ruled {
    if subject.is("InstanceId")? == subject.is("LaunchConfigurationName")? {
        return broken("one of `InstanceId` and `LaunchConfigurationName` must be there", "give one of them");
    }
    Ok(None)
}
