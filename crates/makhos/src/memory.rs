//! Amounts of memory: how much is there, and how the user says how much may be used.

use clap::Args;
use sysinfo::System;

use crate::exit::{Exit, Failure, Outcome};

/// How much memory a command may use.
#[derive(Args, Debug)]
pub(crate) struct MemoryArgs {
    /// Memory that may be taken, e.g. 8GiB; without it four fifths of what is free
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
}

impl MemoryArgs {
    /// Bytes that may be used.
    pub(crate) fn allowed(&self) -> Outcome<u64> {
        self.memory.map_or_else(default_limit, Ok)
    }
}

/// Reads an amount such as `8GiB`, `500 MB` or plain bytes. `KiB` is 1024 bytes, `kB` 1000.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let advice = "write a number of bytes or with a unit, e.g. 8GiB, 1.5GiB, 500MB or 4096";
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "mb" => 1000_u64.pow(2),
        "gb" => 1000_u64.pow(3),
        "tb" => 1000_u64.pow(4),
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        unit => return Err(format!("unknown unit \"{unit}\": {advice}")),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| format!("not a number: {advice}"))?;
    let bytes = number * factor as f64;
    if bytes < 1.0 {
        return Err(format!("less than a byte: {advice}"));
    }
    if bytes >= u64::MAX as f64 {
        return Err(format!("more than any machine has: {advice}"));
    }
    Ok(bytes as u64)
}

/// Bytes that may be used if the user does not say: most of what is free now, in this machine or in
/// the container that limits us.
fn default_limit() -> Outcome<u64> {
    let unknown = |reason: String| {
        let message =
            format!("cannot find out how much memory is free{reason}; say --memory, e.g. 8GiB");
        Failure::say(Exit::Environment, message)
    };
    let mut system = System::new().map_err(|error| unknown(format!(" ({error})")))?;
    system.refresh_memory();
    let free = system.available_memory();
    let free = match system.cgroup_limits() {
        Some(limits) if limits.free_memory > 0 => free.min(limits.free_memory),
        _ => free,
    };
    if free == 0 {
        return Err(unknown(String::new()));
    }
    Ok(free / 5 * 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_with_every_unit() {
        for (text, bytes) in [
            ("4096", 4096),
            ("1B", 1),
            ("2kB", 2000),
            ("2KiB", 2048),
            ("3MB", 3_000_000),
            ("3 MiB", 3 << 20),
            ("8GiB", 8 << 30),
            ("8gib", 8 << 30),
            ("1.5GiB", 3 << 29),
            ("1TiB", 1 << 40),
            ("7GB", 7_000_000_000),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn wrong_amounts_are_refused_with_advice() {
        for text in [
            "",
            "GiB",
            "-1",
            "8XiB",
            "1.2.3GiB",
            "0",
            "99999999999TiB",
            "8GiB more",
        ] {
            let error = parse_bytes(text).expect_err(text);
            assert!(error.contains("8GiB"), "{text}: {error}");
        }
    }
}
