//! The `DynamoDB` lock client: an item with a record version number, and a client that
//! measures on its own clock how long that number has stood still.
//!
//! Modelled after <https://github.com/awslabs/amazon-dynamodb-lock-client>
//! (`AmazonDynamoDBLockClient.java`):
//!
//! - The record version number is new at each acquisition and each heartbeat. It is
//!   random: two of them can be compared for being the same, and have no order, so it
//!   can't fence. Here it is the owner's name and a count, as `a.1`.
//! - A waiter trusts no time that is stored. It waits for the stored lease duration on
//!   its own clock from its first look at a number, and takes over if it is still the
//!   same. So a dead lock always costs a whole lease, and a waiter that is paused is
//!   only later.
//! - A holder counts its lease from before it sent the request that was granted.
//!
//! What a [`LockClient`] asks for is displayed as the [`LockTable`] reads it, and the
//! other way round. Left out: data in the item but for one number `fence`, `isReleased`
//! for locks that are kept when they are released, sort keys, and giving up after a
//! while, which is the driver's to do.

mod client;
mod item;
mod table;

pub use client::{Event, Holding, LockClient, Step};
pub use item::{Item, RecordVersion};
pub use table::{Condition, LockTable, Reply, Request};
