//! Games in Portable Draughts Notation, version 3.0.
//!
//! A text holds any number of games, each a section of tags and the moves with their comments,
//! annotations and variations. Every move is checked: a game that was read can be played.
//!
//! ```
//! use makhos_rules::notation::pdn;
//! use makhos_rules::variant::ENGLISH;
//!
//! let text = "[White \"Second\"] 1. 11-15 22-17?! {doubtful} (22-18 15x22 25x18) 2. 15-19 *";
//! let games = pdn::parse::<u32>(&ENGLISH, text).expect("a game");
//! assert_eq!(games[0].line.plies.len(), 3);
//! let written = pdn::write(&ENGLISH, &games[0]).expect("legal moves");
//! assert_eq!(pdn::parse(&ENGLISH, &written), Ok(games));
//! ```
//!
//! # What the reader accepts
//! - Tags in any order. `GameType` must fit the rules; `FEN` gives the start position, its squares in
//!   the variant's own naming, where names by letters, and for variants named by letters also the
//!   numbers of [`Naming::Board`](super::Naming::Board), are read; `""` and `"?"` mean that a tag is
//!   not known. A tag repeated with another value is refused. Without `FEN` the game begins at the start
//!   of the variant, with the side to move that a long `GameType` (`31,B,8,8,N2,0`) names, otherwise
//!   with the one that begins by the rules.
//! - Moves as in [`super::pdn_move`]; numbers before them in any form with a full stop, which are not
//!   compared with the game; `...` for a move that is not there.
//! - `!` and `?` behind a move, also in brackets; `$n`; comments in braces or from `;` to the end of
//!   the line; lines behind `%` are skipped.
//! - Variations in brackets behind the move they replace, up to [`MAX_DEPTH`] within each other. A
//!   result inside a variation becomes a comment.
//! - Results `1-0 0-1 1/2-1/2 2-0 0-2 1-1 0-0 *`, or none. A `*` or a missing result leaves the word to
//!   the `Result` tag; two results that differ are refused. They are always results: a circular
//!   capture from 1 to 1 is written with `x`.
//! - Any line ends. [`parse_bytes`] also takes Latin-1.
//!
//! # What the writer writes
//! Tags in the order of the standard, `GameType` always, `SetUp` and `FEN` if the game does not begin
//! at the start of the variant with the side to move that `GameType` names (which is not the one of the
//! rules in Thai draughts and under the house option `first`), then moves in lines of at most 80 columns. A comment with a `}` in it is
//! written behind `;` on the rest of its line, which may be longer.
//!
//! Runs of white space in comments are read as one space, empty comments and empty variations are
//! dropped, and the seven standard tags are not kept if their value says that it is not known.
//! Otherwise what was read is written, and reads again as the same games.

mod error;
mod game;
mod game_type;
mod lexer;
mod parse;
mod write;

pub use self::error::{PdnError, PdnErrorKind, WriteError};
pub use self::game::{Game, GameResult, Line, Notes, Ply, Tag};
pub use self::game_type::{GameTypeError, variant_of};
pub use self::parse::{parse, parse_bytes};
pub use self::write::write;

/// Deepest nesting of variations that is read or written. The game itself is at depth 0.
pub const MAX_DEPTH: usize = 32;
