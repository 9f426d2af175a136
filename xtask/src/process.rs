//! Starting other programs and finding them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Says what is being set up and why.
pub fn say(message: &str) {
    eprintln!("[setup] {message}");
}

/// Runs a program to its end with its output shown, and fails if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let line = command_line(command);
    let status = command.stdin(Stdio::null()).status().with_context(|| format!("could not start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed with {status}");
    }
    Ok(())
}

/// Runs a program to its end and returns what it printed.
pub fn output(command: &mut Command) -> Result<String> {
    let line = command_line(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("could not start `{line}`"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` failed with {}: {}", output.status, complaint.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether a program can be started and is content.
pub fn succeeds(command: &mut Command) -> bool {
    output(command).is_ok()
}

/// The first file of that name in the folders of PATH.
pub fn find_on_path(program: &str) -> Option<PathBuf> {
    find_in(env::split_paths(&env::var_os("PATH")?), program)
}

/// PATH with some folders put before the others.
pub fn path_with_first(folders: &[PathBuf]) -> Result<OsString> {
    let usual = env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(env::split_paths(&usual));
    env::join_paths(all).context("a folder name contains the separator of PATH; rename it")
}

fn find_in(mut folders: impl Iterator<Item = PathBuf>, program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    folders.find_map(|folder| Some(folder.join(&name)).filter(|file| file.is_file()))
}

fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    let words: Vec<_> = std::iter::once(program).chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_names_the_program_without_its_folder() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["test", "--workspace"]);
        assert_eq!(command_line(&command), "cargo test --workspace");
    }

    #[test]
    fn the_first_folder_with_the_program_wins() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = [here.join("nowhere"), here.join("src")];
        let expected = here.join("src/main.rs");
        if env::consts::EXE_SUFFIX.is_empty() {
            assert_eq!(find_in(folders.into_iter(), "main.rs"), Some(expected));
        }
        assert_eq!(find_in([here.join("nowhere")].into_iter(), "main.rs"), None);
    }

    #[test]
    fn added_folders_come_first() {
        let path = path_with_first(&[PathBuf::from("one"), PathBuf::from("two")]).unwrap();
        let folders: Vec<PathBuf> = env::split_paths(&path).take(2).collect();
        assert_eq!(folders, [PathBuf::from("one"), PathBuf::from("two")]);
    }
}
