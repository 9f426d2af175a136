//! Each system under random commands and random troubles: what holds for all of them, and
//! what each promises by itself.

mod broken;
mod driver;
mod network;
#[path = "../own_clock/mod.rs"]
mod own_clock;
#[allow(dead_code, reason = "no node says its answers or has its clock stepped here")]
#[path = "../redis_node/mod.rs"]
mod redis_node;

mod cassandra;
mod chubby;
mod consul;
mod dynamodb;
mod dynamodb_lock;
mod elasticsearch;
mod etcd;
mod grant;
mod idempotency;
mod journal_node;
mod kafka;
mod kubernetes;
mod memcached;
mod outbox;
mod postgres;
mod redis;
mod redis_list;
mod redis_pair;
mod redlock;
mod riak;
mod s3;
mod saga;
mod zookeeper;
