//! Matches: who is stronger, and how sure that is.
//!
//! A [`Match`] plays every opening twice, with colours swapped, between two players ([`Player`]): the engine
//! of this crate ([`EnginePlayer`]) or any program that speaks the Hub protocol ([`HubPlayer`]). The two
//! games of a pair are not independent, so everything is computed from pairs ([`Tally`]): Elo with its 95%
//! interval, the likelihood of superiority, and a sequential test ([`Sprt`]).

mod game;
mod hub_player;
mod opening;
mod player;
mod run;
mod score;
mod sprt;

pub use game::{Ending, PlayedGame, play_game};
pub use hub_player::{HubLevel, HubPlayer, HubProgram};
pub use opening::Opening;
pub use player::{EnginePlayer, Player, PlayerError};
pub use run::{MakePlayer, Match, MatchError, MatchReport};
pub use score::{Elo, Outcome, Tally, elo_of, points_of};
pub use sprt::{Sprt, SprtError, Verdict};
