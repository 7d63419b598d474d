//! Columns as arrays for NumPy.

use std::fs::File;
use std::path::Path;

use ndarray::{Array1, Array2};
use ndarray_npy::{NpzWriter, WriteNpzError};

use super::DatasetError;
use super::columns::Columns;

/// What stands for a missing label in an array, which has no nulls: no outcome or score is that low.
const MISSING: i16 = i16::MIN;

/// Writes the columns to a new file at `path`: `boards` (rows by four sets of squares, in the order `wm`,
/// `bm`, `wk`, `bk`, as u32 on 8x8, else u64, and on 12x12 rows by eight, low words first), `game_id`, `ply`,
/// `stm`, `score`, `wdl`, `tb_wdl`, `tb_dtw` and `label_source`. Missing labels are -32768 (`wdl` and
/// `tb_wdl`: -128; `tb_dtw`: 65535).
///
/// # Errors
/// [`DatasetError::Io`], [`DatasetError::Npz`].
pub fn write_npz(columns: &Columns, path: &Path) -> Result<(), DatasetError> {
    let io = |source| DatasetError::Io {
        path: path.to_owned(),
        source,
    };
    let file = File::create(path).map_err(io)?;
    let synced = file.try_clone().map_err(io)?;
    write(columns, file).map_err(|source| DatasetError::Npz {
        path: path.to_owned(),
        source,
    })?;
    synced.sync_all().map_err(io)
}

fn write(columns: &Columns, file: File) -> Result<(), WriteNpzError> {
    let mut writer = NpzWriter::new_compressed(file);
    let rows = columns.len();
    let word = |row: usize, column: usize| columns.pieces[column % 4][row] >> (64 * (column / 4));
    if columns.squares <= 32 {
        let boards = Array2::from_shape_fn((rows, 4), |(row, column)| word(row, column) as u32);
        writer.add_array("boards", &boards)?;
    } else {
        let width = if columns.squares <= 64 { 4 } else { 8 };
        let boards = Array2::from_shape_fn((rows, width), |(row, column)| word(row, column) as u64);
        writer.add_array("boards", &boards)?;
    }
    let labels = |values: &[Option<i8>]| -> Array1<i8> {
        values
            .iter()
            .map(|value| value.unwrap_or(i8::MIN))
            .collect()
    };
    writer.add_array("game_id", &Array1::from(columns.game.clone()))?;
    writer.add_array("ply", &Array1::from(columns.ply.clone()))?;
    writer.add_array("stm", &Array1::from(columns.side.clone()))?;
    let scores: Array1<i16> = columns
        .score
        .iter()
        .map(|score| score.unwrap_or(MISSING))
        .collect();
    writer.add_array("score", &scores)?;
    writer.add_array("wdl", &labels(&columns.result))?;
    writer.add_array("tb_wdl", &labels(&columns.outcome))?;
    let distances = columns.distance.iter();
    let distances: Array1<u16> = distances.map(|plies| plies.unwrap_or(u16::MAX)).collect();
    writer.add_array("tb_dtw", &distances)?;
    writer.add_array("label_source", &Array1::from(columns.source.clone()))?;
    writer.finish()?;
    Ok(())
}
