//! A second reader of compact tables, written from `FORMAT.md` alone and as plainly as possible, agrees with
//! the crate's own.

use std::fs;
use std::path::Path;

use makhos_probe::{Access, Metric, Table};

use crate::compact::{Quiet, bit, quiet_of};

fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    (0..len).map(|i| u64::from(bytes[at + i]) << (8 * i)).sum()
}

/// A string of bits: from `at` to before `end`, zeros behind it.
#[derive(Clone)]
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl Bits<'_> {
    fn next(&mut self) -> u64 {
        self.at += 1;
        match self.at <= self.end {
            true => u64::from(self.bytes[(self.at - 1) / 8] >> (7 - (self.at - 1) % 8) & 1),
            false => 0,
        }
    }

    fn take(&mut self, count: u64) -> u64 {
        (0..count).fold(0, |number, _| 2 * number + self.next())
    }
}

struct Decisions<'a> {
    bits: Bits<'a>,
    code: u64,
    range: u64,
}

impl<'a> Decisions<'a> {
    fn new(mut bits: Bits<'a>) -> Self {
        Self {
            code: bits.take(32),
            range: (1 << 32) - 1,
            bits,
        }
    }

    /// Whether the answer is the unlikely one.
    fn next(&mut self, chance: u64) -> bool {
        let width = (self.range >> 16) * chance;
        let likely = self.range - width;
        let unlikely = self.code >= likely;
        if unlikely {
            self.code -= likely;
            self.range = width;
        } else {
            self.range = likely;
        }
        if self.range < 1 << 24 {
            while self.range < 1 << 31 {
                self.range *= 2;
                self.code = 2 * self.code + self.bits.next();
            }
        }
        unlikely
    }

    fn learned(&mut self, p: &mut u64) -> bool {
        let yes = self.next(*p);
        *p = if yes {
            *p + ((65_535 - *p) >> 4)
        } else {
            *p - (*p >> 4)
        };
        yes
    }

    fn learned_number(&mut self, below: usize, p: &mut [u64]) -> u64 {
        let mut k = 1;
        while k < below {
            k = 2 * k + usize::from(self.learned(&mut p[k]));
        }
        (k - below) as u64
    }
}

/// Order, miss code, third code.
type Expectation = [u64; 3];

fn miss_chance(code: u64) -> u64 {
    let chance = match code % 2 {
        0 => 40_960 >> (code / 2),
        _ => 28_963 >> ((code - 1) / 2),
    };
    chance.max(1)
}

fn read_expected(decisions: &mut Decisions<'_>, [order, miss, third]: Expectation) -> u64 {
    let first = order / 2;
    let mut others: Vec<u64> = (0..3).filter(|&outcome| outcome != first).collect();
    if order % 2 == 1 {
        others.reverse();
    }
    if !decisions.next(miss_chance(miss)) {
        return first;
    }
    others[usize::from(decisions.next(1 << (15 - third)))]
}

/// The variables of a tree.
struct Variables {
    own: [u64; 7],
    divided: [u64; 6],
    order: [[u64; 8]; 6],
    miss: [u64; 32],
    third: [u64; 8],
}

/// A tree of expectations: at each node the answers so far are `answers`.
fn read_tree(
    decisions: &mut Decisions<'_>,
    questions: &[u64; 6],
    variables: &mut Variables,
    answers: &mut Vec<u64>,
    inherited: Expectation,
    leaf: &mut impl FnMut(&[u64], Expectation),
) {
    let depth = answers.len();
    let mut expectation = inherited;
    if decisions.learned(&mut variables.own[depth]) {
        let order = decisions.learned_number(8, &mut variables.order[inherited[0] as usize]);
        let miss = decisions.learned_number(32, &mut variables.miss);
        let third = decisions.learned_number(8, &mut variables.third);
        expectation = [order.min(5), miss, third];
    }
    if depth < 6 && decisions.learned(&mut variables.divided[depth]) {
        for answer in 0..questions[depth] {
            answers.push(answer);
            read_tree(decisions, questions, variables, answers, expectation, leaf);
            answers.pop();
        }
    } else {
        leaf(answers, expectation);
    }
}

/// All leaves of a tree, as answers to the first questions.
fn leaves(
    decisions: &mut Decisions<'_>,
    questions: &[u64; 6],
    root: Expectation,
) -> Vec<(Vec<u64>, Expectation)> {
    let mut variables = Variables {
        own: [1 << 15; 7],
        divided: [1 << 15; 6],
        order: [[1 << 15; 8]; 6],
        miss: [1 << 15; 32],
        third: [1 << 15; 8],
    };
    let mut all = Vec::new();
    let mut leaf = |answers: &[u64], expectation| all.push((answers.to_vec(), expectation));
    read_tree(
        decisions,
        questions,
        &mut variables,
        &mut Vec::new(),
        root,
        &mut leaf,
    );
    all
}

fn find(leaves: &[(Vec<u64>, Expectation)], answers: [u64; 6]) -> Expectation {
    let leaf = leaves.iter().find(|(first, _)| answers.starts_with(first));
    leaf.expect("every context has one").1
}

struct Model {
    usual: u64,
    outcomes: Vec<(Vec<u64>, Expectation)>,
    kinds: Vec<(Vec<u64>, Expectation)>,
    sizes: Vec<u64>,
}

fn read_model(bytes: &[u8], squares: u64, distances: bool) -> Model {
    let usual = u64::from(bytes[0] % 3);
    let bits = Bits {
        bytes: &bytes[1..],
        at: 0,
        end: 8 * (bytes.len() - 1),
    };
    let mut decisions = Decisions::new(bits);
    let outcomes = leaves(&mut decisions, &[3, 3, squares, 3, 3, 3], [2 * usual, 4, 1]);
    let (mut kinds, mut sizes) = (Vec::new(), Vec::new());
    if distances {
        kinds = leaves(&mut decisions, &[6, 6, 6, 6, 6, 2], [0, 4, 1]);
        let mut p = [1 << 15; 32];
        sizes = (0..2 * 6 * 16)
            .map(|_| decisions.learned_number(32, &mut p))
            .collect();
    }
    Model {
        usual,
        outcomes,
        kinds,
        sizes,
    }
}

fn choose(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * n.saturating_sub(i) / (i + 1))
}

/// Column and up of a value, on 8x8.
fn column_and_up(class: [u64; 4], index: u64) -> (u64, u64) {
    let [wm, wk, bm, bk] = class;
    let (k, m, mut rank) = if bk > 0 {
        let m = 32 - wm - bm - wk;
        (bk, m, index % choose(m, bk))
    } else if wk > 0 {
        let m = 32 - wm - bm;
        (wk, m, index % choose(m, wk))
    } else {
        let mut rest = index;
        let mut j = 0;
        loop {
            let black = choose(28 - (wm - j), bm);
            let men = choose(4, j) * choose(24, wm - j) * black;
            if rest < men {
                break (bm, 28 - (wm - j), rest % black);
            }
            rest -= men;
            j += 1;
        }
    };
    let mut set = vec![m; k as usize + 1];
    for i in (1..=k).rev() {
        let c = (0..set[i as usize]).rev().find(|&c| choose(c, i) <= rank);
        let c = c.expect("a rank of such a set");
        rank -= choose(c, i);
        set[i as usize - 1] = c;
    }
    (set[0], if k == 1 { m } else { (set[1] - 1).max(1) })
}

/// The numbers of the values of a cell, outcomes as those of the shortest distances.
fn read_cell(
    model: &Model,
    bits: Bits<'_>,
    (class, start): ([u64; 4], u64),
    count: u64,
    longest: [u64; 3],
    distances: bool,
) -> Vec<u64> {
    let mut decisions = Decisions::new(bits);
    let mut cell: Vec<(u64, Option<u64>)> = Vec::new();
    for at in 0..count {
        let (column, up) = column_and_up(class, start + at);
        let back = |distance: u64| match at.checked_sub(distance) {
            Some(at) => cell[at as usize],
            None => (model.usual, None),
        };
        let n = [1, up, 4, 3, 7].map(|distance| back(distance).0);
        let answers = [n[0], n[1], column, n[2], n[4], n[3]];
        let outcome = read_expected(&mut decisions, find(&model.outcomes, answers));
        if outcome == 0 || !distances {
            cell.push((outcome, None));
            continue;
        }
        let half = |distance: u64| match back(distance) {
            (same, half) if same == outcome => half,
            _ => None,
        };
        let most = longest[outcome as usize];
        let suggested = match (half(1), half(up), half(up + 1)) {
            (Some(a), Some(b), Some(c)) if c >= a.max(b) => a.min(b),
            (Some(a), Some(b), Some(c)) if c <= a.min(b) => a.max(b),
            (Some(a), Some(b), Some(c)) => a + b - c,
            _ => half(up).or(half(1)).or(half(4)).or(half(3)).unwrap_or(4),
        };
        let suggested = suggested.min(most);
        let level = u64::from((suggested + 1).ilog2()).min(5);
        let d = [1, up, 4, 3].map(|distance| match half(distance) {
            None => 0,
            Some(half) => ((half as i64 - suggested as i64).clamp(-2, 2) + 3) as u64,
        });
        let answers = [d[0], d[1], d[2], level, d[3], outcome - 1];
        let kind = read_expected(&mut decisions, find(&model.kinds, answers));
        if kind == 0 {
            cell.push((outcome, Some(suggested)));
            continue;
        }
        let codes = &model.sizes[((kind - 1) * 6 + level) as usize * 16..];
        let mut x = 0;
        while x < 15 && decisions.next(miss_chance(codes[x])) {
            x += 1;
        }
        let size = (0..x).fold(1, |size, _| 2 * size + u64::from(decisions.next(1 << 15)));
        let half = match kind {
            1 => suggested.saturating_sub(size),
            _ => suggested + size,
        };
        cell.push((outcome, Some(half.min(most))));
    }
    let value = |(outcome, half): (u64, Option<u64>)| match (outcome, half) {
        (0, _) => 0,
        (outcome, None) => outcome,
        (1, Some(half)) => 2 * half + 1,
        (_, Some(half)) => 2 * half + 2,
    };
    cell.into_iter().map(value).collect()
}

/// The numbers of all values of every stored side.
fn values(bytes: &[u8]) -> Vec<Vec<u64>> {
    assert_eq!(bytes[8], 2);
    let distances = bytes[10] != 1;
    assert!(if distances {
        (5..=6).contains(&bytes[12])
    } else {
        bytes[12] == 4
    });
    let flags = bytes[13];
    let sides: Vec<usize> = match flags {
        0 => (0..usize::from(bytes[15])).collect(),
        2 => vec![0],
        4 => vec![1],
        _ => panic!("flags {flags}"),
    };
    let class = [16, 17, 18, 19].map(|at| u64::from(bytes[at]));
    let (block_values, per_side) = (number(bytes, 40, 4), number(bytes, 48, 8));
    let chapters = per_side.div_ceil(64);
    let entries = sides.len() as u64 * (per_side + chapters);
    let index = bytes.len() - 52 - 8 * entries as usize;
    let mut parts = Vec::new();
    let mut start = 188 + number(bytes, 36, 4) as usize;
    for entry in 0..entries as usize {
        let len = number(bytes, index + 8 * entry, 4) as usize;
        let part = &bytes[start..start + len];
        assert_eq!(
            u64::from(crc32fast::hash(part)),
            number(bytes, index + 8 * entry + 4, 4)
        );
        parts.push(part);
        start += len;
    }
    assert_eq!(start, index);
    let mut all = Vec::new();
    for (place, &side) in sides.iter().enumerate() {
        let statistics = 56 + 64 * side;
        let positions = number(bytes, statistics, 8);
        let longest = [statistics + 44, statistics + 40].map(|at| match number(bytes, at, 4) {
            0xFFFF_FFFF => 0,
            plies => plies / 2,
        });
        let mut values = Vec::new();
        for block in 0..per_side {
            let blocks = sides.len() as u64 * per_side;
            let model = blocks + place as u64 * chapters + block / 64;
            let model = read_model(parts[model as usize], 32, distances);
            let stored = parts[(place as u64 * per_side + block) as usize];
            let count = (positions - block * block_values).min(block_values);
            let cell = block_values / 64;
            let mut bits = Bits {
                bytes: stored,
                at: 0,
                end: 8 * stored.len(),
            };
            let low = bits.take(8);
            let lengths: Vec<u64> = (0..count.div_ceil(cell))
                .map(|_| {
                    let mut ones = 0;
                    while !stored.is_empty() && bits.next() == 1 {
                        ones += 1;
                    }
                    (ones << low) + bits.take(low)
                })
                .collect();
            for (number, len) in lengths.into_iter().enumerate() {
                let first = number as u64 * cell;
                let mut string = bits.clone();
                string.end = (bits.at + len as usize).min(8 * stored.len());
                bits.at += len as usize;
                values.extend(read_cell(
                    &model,
                    string,
                    (class, block * block_values + first),
                    cell.min(count - first),
                    [0, longest[0], longest[1]],
                    distances,
                ));
            }
        }
        assert_eq!(values.len() as u64, positions);
        all.push(values);
    }
    all
}

#[test]
fn compact_values_are_read_from_the_specification_alone() {
    for (class, seed) in [
        ("1k-1k", 3),
        ("2k-1m", 4),
        ("1m-1m", 6),
        ("2m-1m", 9),
        ("1k-1m", 12),
    ] {
        for (metric, one_side) in [
            (Metric::Wld, false),
            (Metric::Wld, true),
            (Metric::Dtw, false),
        ] {
            let dir = tempfile::tempdir().expect("a directory");
            let quiet = Quiet {
                one_side,
                ..quiet_of(class, metric, seed, 4)
            };
            let path = quiet.write(dir.path()).path;
            let bytes = fs::read(&path).expect("the table");
            let table = Table::open(Path::new(&path), Access::Map).expect("a good table");
            for (&side, values) in table.sides().iter().zip(values(&bytes)) {
                let (written, captures) = quiet.side(side);
                let mut read = Vec::new();
                let all = table.for_each_value(side, |value| read.push(u64::from(value.bits())));
                all.expect("good blocks");
                assert!(read == values, "captures too: {class} {metric}");
                for (at, value) in written.iter().enumerate() {
                    let same = match metric {
                        Metric::Wld => {
                            u64::from(2 - value.bits() % 2) * u64::from(value.bits() > 0)
                        }
                        _ => value.bits().into(),
                    };
                    assert!(bit(captures, at) || values[at] == same, "{class} {at}");
                }
            }
        }
    }
}
