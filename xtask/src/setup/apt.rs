//! Installing Debian packages, where this is Debian and we may.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, find_on_path, say};

/// Installs packages with apt, as root or with a `sudo` that asks nothing.
pub fn install(packages: &[&str], reason: &str) -> Result<()> {
    let list = packages.join(" ");
    if find_on_path("apt-get").is_none() {
        bail!("there is no apt-get here; install {list} the way your system does, {reason}");
    }
    let prefix = administrator()
        .with_context(|| format!("run `sudo apt-get install {list}`, {reason}, and start this command again"))?;
    say(&format!("installing {list} with apt-get, {reason}"));
    if !package_lists_are_there() {
        process::run(&mut apt_get(prefix, &["update"]))?;
    }
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(packages);
    if process::run(&mut apt_get(prefix, &arguments)).is_ok() {
        return Ok(());
    }
    say("that failed; trying once more with fresh package lists");
    process::run(&mut apt_get(prefix, &["update"]))?;
    process::run(&mut apt_get(prefix, &arguments))
        .with_context(|| format!("apt-get could not install {list}, {reason}"))
}

/// The words to put before apt-get so that it may install something.
fn administrator() -> Result<&'static [&'static str]> {
    if process::output(Command::new("id").arg("-u")).is_ok_and(|user| user == "0") {
        return Ok(&[]);
    }
    if process::succeeds(Command::new("sudo").args(["-n", "true"])) {
        return Ok(&["sudo", "-n"]);
    }
    bail!("installing packages needs root, and sudo asks for a password")
}

fn apt_get(prefix: &[&str], arguments: &[&str]) -> Command {
    // `env` passes the variable through sudo, which clears the others.
    let words = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet=2"];
    let mut words = prefix.iter().chain(&words).chain(arguments);
    let mut command = Command::new(words.next().unwrap_or(&"apt-get"));
    command.args(words);
    command
}

/// Container images come without them.
fn package_lists_are_there() -> bool {
    fs::read_dir(Path::new("/var/lib/apt/lists"))
        .is_ok_and(|files| files.flatten().any(|file| file.file_name().to_string_lossy().contains("_Packages")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> Vec<String> {
        std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn apt_get_asks_no_questions_with_and_without_sudo() {
        assert_eq!(
            words(&apt_get(&[], &["update"])).join(" "),
            "env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 update"
        );
        assert_eq!(
            words(&apt_get(&["sudo", "-n"], &["update"])).join(" "),
            "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 update"
        );
    }
}
