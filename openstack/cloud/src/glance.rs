//! Images, read-only. Source: Image API v2.

use serde_json::{Value, json};
use wattle_openstack::Method;

use crate::listing;
use crate::reply::{Answer, Refusal, json};
use crate::world::{Asked, Common};

#[derive(Debug)]
pub(crate) struct Glance {
    images: Vec<Value>,
}

impl Glance {
    pub(crate) fn new(common: &mut Common) -> Self {
        let images = ["debian-12", "debian-13"].map(|name| {
            json!({
                "id": common.ids.uuid(), "name": name, "status": "active", "visibility": "public", "min_disk": 2, "min_ram": 256,
                "size": 335_544_320, "disk_format": "qcow2", "container_format": "bare", "tags": [], "protected": false,
                "created_at": common.stamp(), "updated_at": common.stamp(), "os_hidden": false,
            })
        });
        Self { images: images.into() }
    }

    /// An image by its id.
    pub(crate) fn image(&self, id: &str) -> Option<&Value> {
        self.images.iter().find(|image| image["id"] == *id)
    }

    pub(crate) fn vanish(&mut self, collection: &str, id: &str) {
        if collection == "images" {
            self.images.retain(|image| image["id"] != *id);
        }
    }

    pub(crate) fn answer(&self, common: &Common, asked: &Asked<'_>) -> Answer {
        match (asked.method, asked.route.parts().as_slice()) {
            (Method::Get, ["v2", "images"]) => {
                let images =
                    self.images.iter().filter(|image| listing::is_asked_for(image, asked.route)).cloned().collect();
                let mut page = listing::page("images", images, asked.route, asked.url, common.setting.page)?;
                // Glance gives the next page in its own form.
                if let Some(links) = page.as_object_mut().and_then(|page| page.remove("images_links")) {
                    let next = links[0]["href"].as_str().and_then(|href| href.strip_prefix(&common.setting.url));
                    page["next"] = next.unwrap_or_default().into();
                }
                page["first"] = "/v2/images".into();
                Ok(json(200, &page))
            }
            (Method::Get, ["v2", "images", id]) => match self.image(id) {
                Some(image) => Ok(json(200, image)),
                None => Err(Refusal::missing(format!("Failed to find image {id}"))),
            },
            (_, ["v2", "images", ..]) => Err(Refusal::new(403, "Images can only be read here.")),
            _ => Err(Refusal::missing("The resource could not be found.")),
        }
    }
}
