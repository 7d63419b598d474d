//! Petrov's triangle: when do three kings beat a lone king in Russian draughts, and how fast?
//!
//! Generates the tables it needs, counts every placement by who holds the main road (the long diagonal
//! a1-h8) and plays the longest win out.
//!
//! `cargo run --release -p makhos-retro --example petrov`

use makhos_index::{Material, PlacementIndex};
use makhos_probe::{Dtw, Metric, Tablebase, Wld};
use makhos_retro::{Generator, Quiet};
use makhos_rules::notation::{fen, hub};
use makhos_rules::{Board, Color, Position, variant};

/// a1, b2, c3, d4, e5, f6, g7, h8.
const MAIN_ROAD: [usize; 8] = [28, 24, 21, 17, 14, 10, 7, 3];

#[derive(Default)]
struct Count {
    positions: u64,
    wins: u64,
    longest: u16,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = variant::RUSSIAN;
    let dir = tempfile::tempdir()?;
    let class: Material = "3k-1k".parse()?;
    let generator = Generator::<u32>::new(rules, dir.path(), Metric::Dtw);
    generator.run(&generator.plan(&[class])?, &Quiet)?;
    let tables = Tablebase::open(rules, dir.path())?;

    let road = MAIN_ROAD
        .iter()
        .fold(u32::EMPTY, |road, &square| road | u32::bit(square));
    let index = PlacementIndex::<u32>::new(class)?;
    let mut counts: [Count; 3] = Default::default();
    let mut longest: Option<(u16, Position<u32>)> = None;
    for number in 0..index.len() {
        let position = index.position(number, Color::White);
        let group = if !(position.pieces(Color::Black) & road).is_empty() {
            0
        } else if (position.occupied() & road).is_empty() {
            1
        } else {
            2
        };
        let count = &mut counts[group];
        count.positions += 1;
        if let Dtw::Win(plies) = tables.probe_dtw(&position)? {
            let plies = plies.get();
            count.wins += 1;
            count.longest = count.longest.max(plies);
            if longest.is_none_or(|(longest, _)| plies > longest) {
                longest = Some((plies, position));
            }
        }
    }
    println!("three kings, to move, against one: positions, won, longest win");
    for (count, name) in counts.iter().zip([
        "the lone king holds the main road",
        "nobody stands on the main road",
        "only attackers stand on the main road",
    ]) {
        let moves = count.longest.div_ceil(2);
        println!(
            "{name:<38} {:>7} {:>7}  {} plies = {moves} moves",
            count.positions, count.wins, count.longest
        );
    }

    if let Some((plies, mut position)) = longest {
        println!(
            "longest win, {plies} plies, from {}:",
            fen::write(&rules, &position)
        );
        let mut line = Vec::new();
        while let Some(best) = tables.best_move(&position)? {
            line.push(hub::write_move(&rules, &best.mv));
            position = position.make(&best.mv);
        }
        println!("{}", line.join(" "));
        assert_eq!(
            line.len(),
            usize::from(plies),
            "every move brings the end one ply nearer"
        );
        assert_eq!(tables.probe_wld(&position)?, Wld::Loss);
    }
    Ok(())
}
