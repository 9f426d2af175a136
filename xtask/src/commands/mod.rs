//! What the commands do, one file each.

pub mod bench;
pub mod build;
pub mod lint;
pub mod pages;
pub mod serve;
pub mod size;
pub mod test;
