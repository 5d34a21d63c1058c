//! Rules in their written form: `POST /servers: lost reply, 2 times`.

use std::str::FromStr;
use std::time::Duration;

use wattle_openstack::Method;
use wattle_words::names::{did_you_mean, nearest};
use wattle_words::time::seconds;

use super::{Doing, Rule};

const METHODS: [Method; 5] = [Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete];

/// The written forms of faults.
const WORDS: [&str; 7] =
    ["lost request", "lost reply", "late by 30s", "ERROR", "fails later", "quota", "vanishes after 30s"];

/// Path segments that this cloud knows.
const PARTS: [&str; 35] = [
    "identity",
    "v3",
    "auth",
    "tokens",
    "compute",
    "v2.1",
    "servers",
    "detail",
    "action",
    "tags",
    "metadata",
    "os-interface",
    "os-instance-actions",
    "os-volume_attachments",
    "os-keypairs",
    "os-server-groups",
    "os-availability-zone",
    "flavors",
    "limits",
    "networking",
    "v2.0",
    "networks",
    "subnets",
    "ports",
    "routers",
    "floatingips",
    "security-groups",
    "security-group-rules",
    "add_router_interface",
    "remove_router_interface",
    "quotas",
    "volume",
    "volumes",
    "image",
    "images",
];

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || "write `METHOD PATH: WHAT`, such as `POST /servers: lost reply`".to_owned();
        let (about, rest) = text.split_once(": ").ok_or_else(wrong)?;
        let (method, path) = match about.split_whitespace().collect::<Vec<_>>()[..] {
            [path] => (None, path),
            [method, path] => (Some(self::method(method)?), path),
            _ => return Err(wrong()),
        };
        let path = self::path(path)?;
        let mut clauses = rest.split(',').map(str::trim);
        let doing = doing(clauses.next().unwrap_or_default())?;
        if matches!(doing, Doing::Broken | Doing::Vanishes(_)) && method != Some(Method::Post) {
            return Err(format!(
                "only what `POST` creates can be broken or vanish: write `POST {path}: {}`",
                rest.trim()
            ));
        }
        let is_of_a_server =
            ["/action", "/os-interface", "/os-volume_attachments"].iter().any(|part| path.contains(part));
        if doing == Doing::Failed && !is_of_a_server {
            return Err("only requests to an existing server can fail later: write `/os-interface`, \
                        `/os-volume_attachments` or `POST /action`"
                .to_owned());
        }
        let (mut times, mut after) = (1, 0);
        for clause in clauses {
            match clause.split_whitespace().collect::<Vec<_>>()[..] {
                ["always"] => times = u32::MAX,
                [count, "times" | "time"] => times = number(count)?,
                ["after", count] => after = number(count)?,
                _ => return Err(unknown(clause, &["always", "3 times", "after 2"])),
            }
        }
        Ok(Self { method, path, after, times, doing })
    }
}

fn method(text: &str) -> Result<Method, String> {
    let known = METHODS.iter().find(|method| method.as_str() == text);
    known.copied().ok_or_else(|| unknown(text, &METHODS.map(Method::as_str)))
}

fn path(text: &str) -> Result<String, String> {
    if !text.starts_with('/') {
        return Err(format!("a path begins with `/`: write `/{text}`"));
    }
    // A segment unlike any known word may be an id.
    let before_query = text.split('?').next().unwrap_or_default();
    for part in before_query.split('/').filter(|part| !PARTS.contains(part)) {
        if let Some(near) = nearest(part, PARTS) {
            return Err(format!("nothing is at `{text}`; {}", did_you_mean(text.replace(part, near))));
        }
    }
    Ok(text.to_owned())
}

fn doing(text: &str) -> Result<Doing, String> {
    let time = |text: &str| seconds(text).map(Duration::from_secs);
    Ok(match text.split_whitespace().collect::<Vec<_>>()[..] {
        ["lost", "request"] => Doing::Lost,
        ["lost", "reply"] => Doing::Unanswered,
        ["late", "by", by] => Doing::Late(time(by)?),
        ["ERROR"] => Doing::Broken,
        ["fails", "later"] => Doing::Failed,
        ["quota"] => Doing::OverQuota,
        ["vanishes", "after", after] => Doing::Vanishes(time(after)?),
        [status] if is_number(status) => Doing::Refused(self::status(status)?, None),
        [status, "retry", "after", after] if is_number(status) => {
            Doing::Refused(self::status(status)?, Some(seconds(after)?))
        }
        _ => return Err(unknown(text, &WORDS) + "; a status such as `503` or `429 retry after 5s` is possible, too"),
    })
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn status(text: &str) -> Result<u16, String> {
    let status = text.parse().ok().filter(|status| (400..600).contains(status));
    status.ok_or_else(|| format!("`{text}` refuses nothing: statuses from 400 to 599 do, such as `409` or `503`"))
}

fn number(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("`{text}` is not a number of requests: write `2`"))
}

fn unknown(text: &str, known: &[&str]) -> String {
    let all = known.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
    match nearest(text, known.iter().copied()) {
        Some(near) => format!("there is no `{text}`; {}", did_you_mean(near)),
        None => format!("there is no `{text}`: it is one of {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Rule {
        text.parse().unwrap_or_else(|wrong| panic!("{text}: {wrong}"))
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        let next = |doing| Rule::next(Method::Post, "/servers", doing);
        assert_eq!(read("POST /servers: lost request"), next(Doing::Lost));
        assert_eq!(read("POST /servers: lost reply"), next(Doing::Unanswered));
        assert_eq!(read("POST /servers: late by 1m30s"), next(Doing::Late(Duration::from_secs(90))));
        assert_eq!(read("POST /servers: ERROR"), next(Doing::Broken));
        assert_eq!(read("POST /action: fails later"), Rule { path: "/action".into(), ..next(Doing::Failed) });
        assert_eq!(read("POST /servers: quota"), next(Doing::OverQuota));
        assert_eq!(read("POST /servers: vanishes after 5s"), next(Doing::Vanishes(Duration::from_secs(5))));
        let many = Rule { times: 3, after: 2, ..next(Doing::Refused(429, Some(5))) };
        assert_eq!(read("POST /servers: 429 retry after 5s, 3 times, after 2"), many);
        let all = Rule {
            method: None,
            path: "/networking".into(),
            after: 0,
            times: u32::MAX,
            doing: Doing::Refused(503, None),
        };
        assert_eq!(read("/networking: 503, always"), all);
        // A segment unlike any known word is an id.
        assert_eq!(read("GET /servers/0d1f8a3e-5d56-4a41-8a7b-2f9f0e7f1b11: 500").method, Some(Method::Get));
    }

    #[test]
    fn what_is_none_is_said_with_what_is() {
        let wrong = |text: &str| text.parse::<Rule>().expect_err("no rule");
        for (text, says) in [
            ("POST /servers lost reply", "write `METHOD PATH: WHAT`, such as `POST /servers: lost reply`"),
            ("PSOT /servers: 503", "there is no `PSOT`; did you mean `POST`?"),
            ("POST servers: 503", "a path begins with `/`: write `/servers`"),
            ("POST /severs: 503", "nothing is at `/severs`; did you mean `/servers`?"),
            ("POST /servers: lost replay", "there is no `lost replay`; did you mean `lost reply`?"),
            ("POST /servers: late by 3", "write days, hours, minutes and seconds"),
            ("POST /servers: 200", "`200` refuses nothing: statuses from 400 to 599 do"),
            ("POST /servers: 503, alway", "there is no `alway`; did you mean `always`?"),
            ("POST /servers: 503, 0 times", "`0` is not a number of requests"),
            (
                "DELETE /servers: ERROR",
                "only what `POST` creates can be broken or vanish: write `POST /servers: ERROR`",
            ),
            ("POST /servers: fails later", "only requests to an existing server can fail later: write `/os-interface`"),
            ("POST /servers: on fire", "it is one of `lost request`, `lost reply`"),
        ] {
            assert!(wrong(text).contains(says), "{text}: {}", wrong(text));
        }
    }
}
