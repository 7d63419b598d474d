//! Benchmarks only; see the `[[bench]]` targets of the manifest. Run one with
//! `cargo bench -p makhos-benches --bench movegen`. Here is what they share.

pub mod clock;
pub mod generation;
pub mod probing;
