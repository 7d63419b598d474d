//! A game as bytes.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | bit 0: the game begins with the start position of the variant; bit 1: scores follow; bit 2: the opening is within the bounds; bits 3-4: White won 0, draw 1, Black won 2; bits 5-6: ended by no move 0, a drawing rule 1, tables 2, the ply limit 3; bit 7: 0 |
//! | 0 or 1 | only with a drawing rule: repetition 0, main road 1, clock `n` of the drawing rules `2 + n` |
//! | 0 or 4k+1 | only with another start position: White's men, White's kings, Black's men, Black's kings as sets of squares of `k` bytes each (4 on 8x8, 7 on 10x10, 9 on 12x12), then the side to move, White 0, Black 1 |
//! | 1.. | number of plies |
//! | 1.. | how many of them are opening |
//! | 1.. each | for each ply the number of the move among the legal ones in ascending order |
//! | 2 each | only with scores: for each ply behind the opening the score, -32768 for none |
//!
//! Numbers without a fixed length are written in groups of seven bits, the lowest first, bit 7 set in all bytes
//! but the last. Others are little-endian. A move is ordered by its start, its end and the set of captured
//! pieces, squares as internal numbers; a set of squares is a number with square 0 as its lowest bit.

use makhos_rules::{Board, Color, Position, RuleSet};

use super::record::{
    DrawnBy, Ending, GameParts, GameRecord, GameResult, Ply, RecordError, check_board,
};

const USUAL_START: u8 = 1;
const SCORES: u8 = 1 << 1;
const BALANCED: u8 = 1 << 2;
const RESULT_SHIFT: u32 = 3;
const ENDING_SHIFT: u32 = 5;
const UNUSED: u8 = 1 << 7;

/// Stands for a ply without a score.
const NO_SCORE: i16 = i16::MIN;

impl<B: Board> GameRecord<B> {
    /// Appends the game to some bytes. Its number is not among them.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let parts = &self.parts;
        let usual = parts.start == Position::start(&self.rules);
        let scored = parts.plies.iter().any(|ply| ply.score.is_some());
        let (ending, rule) = ending_codes(parts.ending);
        let mut flags = result_code(parts.result) << RESULT_SHIFT | ending << ENDING_SHIFT;
        for (set, flag) in [
            (usual, USUAL_START),
            (scored, SCORES),
            (parts.balanced, BALANCED),
        ] {
            flags |= if set { flag } else { 0 };
        }
        bytes.push(flags);
        bytes.extend(rule);
        if !usual {
            write_position(&parts.start, bytes);
        }
        write_number(parts.plies.len() as u64, bytes);
        write_number(parts.opening as u64, bytes);
        for ply in &parts.plies {
            write_number(ply.index.into(), bytes);
        }
        if scored {
            for ply in &parts.plies[parts.opening..] {
                bytes.extend(ply.score.unwrap_or(NO_SCORE).to_le_bytes());
            }
        }
    }

    /// The game with this number from the front of some bytes, and the bytes behind it.
    ///
    /// # Errors
    /// [`RecordError`] if the bytes are not a game by these rules.
    pub fn read(rules: RuleSet, number: u64, bytes: &[u8]) -> Result<(Self, &[u8]), RecordError> {
        check_board::<B>(&rules)?;
        let mut reader = Reader(bytes);
        let parts = reader.game::<B>(&rules, number)?;
        Ok((Self::new(rules, parts)?, reader.0))
    }
}

fn result_code(result: GameResult) -> u8 {
    match result {
        GameResult::White => 0,
        GameResult::Draw => 1,
        GameResult::Black => 2,
    }
}

fn ending_codes(ending: Ending) -> (u8, Option<u8>) {
    match ending {
        Ending::NoMove => (0, None),
        Ending::Drawn(by) => {
            let rule = match by {
                DrawnBy::Repetition => 0,
                DrawnBy::Road => 1,
                // Texts of drawing rules have no more clocks than fit.
                DrawnBy::Clock(number) => number.saturating_add(2),
            };
            (1, Some(rule))
        }
        Ending::Tables => (2, None),
        Ending::PlyLimit => (3, None),
    }
}

fn set_bytes<B: Board>() -> usize {
    (B::SQUARES as usize).div_ceil(8)
}

fn write_position<B: Board>(position: &Position<B>, bytes: &mut Vec<u8>) {
    for side in [Color::White, Color::Black] {
        for set in [position.men(side), position.kings(side)] {
            bytes.extend(&set.to_u128().to_le_bytes()[..set_bytes::<B>()]);
        }
    }
    bytes.push(u8::from(position.side() == Color::Black));
}

fn write_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Bytes that have not been read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn game<B: Board>(
        &mut self,
        rules: &RuleSet,
        number: u64,
    ) -> Result<GameParts<B>, RecordError> {
        let flags = self.byte()?;
        if flags & UNUSED != 0 {
            return Err(meaningless("the first byte of a game", flags.into()));
        }
        let result = match flags >> RESULT_SHIFT & 3 {
            0 => GameResult::White,
            1 => GameResult::Draw,
            2 => GameResult::Black,
            code => return Err(meaningless("the result", code.into())),
        };
        let ending = match flags >> ENDING_SHIFT {
            0 => Ending::NoMove,
            1 => Ending::Drawn(self.rule()?),
            2 => Ending::Tables,
            _ => Ending::PlyLimit,
        };
        let start = if flags & USUAL_START != 0 {
            Position::start(rules)
        } else {
            self.position()?
        };
        let (plies, opening) = self.plies(flags & SCORES != 0)?;
        Ok(GameParts {
            number,
            start,
            plies,
            opening,
            balanced: flags & BALANCED != 0,
            result,
            ending,
        })
    }

    fn plies(&mut self, scored: bool) -> Result<(Vec<Ply>, usize), RecordError> {
        let count = self.number()?;
        // Every ply takes a byte at least: damage must not ask for more memory than that.
        let count = usize::try_from(count)
            .ok()
            .filter(|&count| count <= self.0.len());
        let count = count.ok_or(RecordError::Truncated)?;
        let opening = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if opening > count {
            return Err(RecordError::Opening {
                opening,
                plies: count,
            });
        }
        let mut plies = Vec::with_capacity(count);
        for _ in 0..count {
            let index = self.number()?;
            let index = u32::try_from(index).map_err(|_| meaningless("a move", index))?;
            plies.push(Ply { index, score: None });
        }
        if scored {
            for ply in &mut plies[opening..] {
                let score = i16::from_le_bytes(self.array()?);
                ply.score = (score != NO_SCORE).then_some(score);
            }
        }
        Ok((plies, opening))
    }

    fn rule(&mut self) -> Result<DrawnBy, RecordError> {
        Ok(match self.byte()? {
            0 => DrawnBy::Repetition,
            1 => DrawnBy::Road,
            code => DrawnBy::Clock(code - 2),
        })
    }

    fn position<B: Board>(&mut self) -> Result<Position<B>, RecordError> {
        let mut sets = [B::EMPTY; 4];
        for set in &mut sets {
            let mut wide = [0; 16];
            let length = set_bytes::<B>();
            wide[..length].copy_from_slice(self.take(length)?);
            let bits = u128::from_le_bytes(wide);
            if bits >> B::SQUARES != 0 {
                return Err(meaningless("a set of squares", (bits >> B::SQUARES) as u64));
            }
            *set = B::from_u128(bits);
        }
        let side = match self.byte()? {
            0 => Color::White,
            1 => Color::Black,
            code => return Err(meaningless("the side to move", code.into())),
        };
        Ok(Position::new(sets[0], sets[1], sets[2], sets[3], side)?)
    }

    fn number(&mut self) -> Result<u64, RecordError> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                // One way to write each number, so that equal games are equal bytes.
                let shortest = byte != 0 || shift == 0;
                return if shortest {
                    Ok(number)
                } else {
                    Err(meaningless("a number with a leading zero", number))
                };
            }
        }
        Err(meaningless("a number", number))
    }

    fn byte(&mut self) -> Result<u8, RecordError> {
        Ok(self.array::<1>()?[0])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RecordError> {
        let (array, rest) = self.0.split_first_chunk().ok_or(RecordError::Truncated)?;
        self.0 = rest;
        Ok(*array)
    }

    fn take(&mut self, count: usize) -> Result<&[u8], RecordError> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or(RecordError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }
}

fn meaningless(what: &'static str, found: u64) -> RecordError {
    RecordError::Meaningless { what, found }
}
