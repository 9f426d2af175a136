//! What each system answers, in its own words: a test for each row of
//! `docs/conformance.md`, and what holds for any requests.

mod cassandra;
mod chubby;
mod consul;
mod dynamodb;
mod dynamodb_lock;
mod effects;
mod elasticsearch;
mod etcd;
mod grant;
mod journal_node;
mod kafka;
mod kubernetes;
mod memcached;
#[path = "../own_clock/mod.rs"]
mod own_clock;
mod postgres;
mod redis;
mod redis_list;
#[path = "../redis_node/mod.rs"]
mod redis_node;
mod redlock;
mod riak;
mod s3;
#[path = "../timers/mod.rs"]
mod timers;
mod zookeeper;
