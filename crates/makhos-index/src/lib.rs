//! Material classes of draughts endgames, and a gap-free numbering of their placements.
//!
//! - [`Material`]: the men and kings of both sides, its text form `2m1k-1k`, its canonical orientation.
//! - [`classes`], [`dependencies`] and [`closure`]: which class needs which, and in what order to
//!   generate them.
//! - [`PlacementIndex`]: placements of one class to numbers and back; [`placement`] describes the
//!   numbering completely.
//!
//! Pure mathematics: nothing here knows about values, files or threads.
//!
//! ```
//! use makhos_index::{Material, PlacementIndex};
//! use makhos_rules::Color;
//!
//! let material: Material = "3k-1k".parse().expect("well-formed");
//! let index = PlacementIndex::<u32>::new(material).expect("fits the board");
//! assert_eq!(index.len(), 143_840);
//! let position = index.position(12_345, Color::White);
//! assert_eq!(index.index(&position), 12_345);
//! ```

mod combination;
mod material;
mod order;
pub mod placement;
mod steps;

pub use combination::binomials;
pub use material::{Army, Material, ParseMaterialError, normalize, stored_sides};
pub use order::{Dependency, Reason, classes, closure, dependencies};
pub use placement::{IndexError, PlacementIndex, placements};
