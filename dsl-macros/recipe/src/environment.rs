//! Variables that are already in a recipe's environment.

use crate::names::OUTPUTS_PATH;

/// Variables that programs, shells and recipes depend on (POSIX, glibc, Heat's hook convention).
const VARIABLES: [&str; 14] = [
    "PATH",
    "HOME",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELL",
    "USER",
    "PWD",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    OUTPUTS_PATH,
];

/// Whether an input cannot be passed to a recipe in a variable of this name. Names that begin with `WATTLE_` belong to the
/// agent.
pub fn is_taken(name: &str) -> bool {
    VARIABLES.contains(&name) || name.starts_with("WATTLE_")
}

/// The variables that the agent sets for every recipe. `WATTLE_STATE_DIR` is not among them: it is set only if servers
/// share a machine, so a recipe that reads it must have a fallback.
pub const GIVEN: [&str; 5] = [OUTPUTS_PATH, "WATTLE_RUN_DIR", "WATTLE_SOCKET", "WATTLE_TOKEN", "WATTLE_RUN"];
/// Prefixes of variables of shells, sessions and locales.
const KINDS: [&str; 7] = ["BASH", "COMP_", "LC_", "XDG_", "SUDO_", "SSH_", "HIST"];
/// Other such variables, which no input resembles by chance.
const OTHERS: [&str; 24] = [
    "_",
    "CDPATH",
    "COPROC",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "FCEDIT",
    "IGNOREEOF",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "MAPFILE",
    "NOTIFY_SOCKET",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "READLINE_LINE",
    "SHELLOPTS",
    "SRANDOM",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_INDEX_URL",
    "PIP_CERT",
    "TIMEFORMAT",
    "TMOUT",
];

/// The variables that `/etc/os-release` and `/etc/lsb-release` may set.
pub(crate) const RELEASE: [&str; 31] = [
    "NAME",
    "VERSION",
    "ID",
    "ID_LIKE",
    "VERSION_ID",
    "VERSION_CODENAME",
    "PRETTY_NAME",
    "ANSI_COLOR",
    "CPE_NAME",
    "HOME_URL",
    "DOCUMENTATION_URL",
    "SUPPORT_URL",
    "BUG_REPORT_URL",
    "PRIVACY_POLICY_URL",
    "VENDOR_NAME",
    "VENDOR_URL",
    "BUILD_ID",
    "VARIANT",
    "VARIANT_ID",
    "IMAGE_ID",
    "IMAGE_VERSION",
    "LOGO",
    "PLATFORM_ID",
    "UBUNTU_CODENAME",
    "DEBIAN_VERSION_FULL",
    "SUPPORT_END",
    "DEFAULT_HOSTNAME",
    "DISTRIB_ID",
    "DISTRIB_RELEASE",
    "DISTRIB_CODENAME",
    "DISTRIB_DESCRIPTION",
];

/// Whether a shell recipe that reads the variable refers to one that the author did not define.
pub(crate) fn is_elsewhere(name: &str) -> bool {
    let proxy = name.to_ascii_lowercase().ends_with("_proxy");
    GIVEN.contains(&name) || OTHERS.contains(&name) || proxy || KINDS.iter().any(|kind| name.starts_with(kind))
}

/// Variables of shells, sessions and proxies, whether or not they are set: a recipe that reads one refers to that.
pub(crate) const SHELL: [&str; 58] = [
    "PATH",
    "HOME",
    "IFS",
    "ENV",
    "SHELL",
    "USER",
    "LOGNAME",
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "TMP",
    "TEMP",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_COLLATE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "TZ",
    "TERM",
    "HOSTNAME",
    "HOST",
    "HOSTTYPE",
    "MACHTYPE",
    "OSTYPE",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "OPTIND",
    "OPTARG",
    "OPTERR",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "UID",
    "EUID",
    "GROUPS",
    "PPID",
    "REPLY",
    "SHLVL",
    "FUNCNAME",
    "PIPESTATUS",
    "DIRSTACK",
    "COLUMNS",
    "LINES",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MAIL",
    "DISPLAY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
];
