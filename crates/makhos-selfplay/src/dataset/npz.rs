//! Columns as arrays for NumPy, and back.

use std::fs::File;
use std::path::Path;

use ndarray::{Array1, Array2, Ix1, Ix2, OwnedRepr};
use ndarray_npy::{NpzReader, NpzWriter, ReadNpzError, ReadableElement, WriteNpzError};

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

/// Reads a file that [`write_npz`] has written for a board of so many squares. Moves are not among its arrays.
///
/// # Errors
/// [`DatasetError::Io`], [`DatasetError::ReadNpz`], and [`DatasetError::Other`] if its arrays do not fit together.
pub fn read_npz(path: &Path, squares: u32) -> Result<Columns, DatasetError> {
    let file = File::open(path).map_err(|source| DatasetError::Io {
        path: path.to_owned(),
        source,
    })?;
    let columns = read(file, squares).map_err(|source| DatasetError::ReadNpz {
        path: path.to_owned(),
        source,
    })?;
    columns.ok_or_else(|| DatasetError::Other {
        path: path.to_owned(),
        reason: "its arrays are not those of positions on this board".to_owned(),
    })
}

/// The columns of a file, if its arrays fit together.
fn read(file: File, squares: u32) -> Result<Option<Columns>, ReadNpzError> {
    let mut reader = NpzReader::new(file)?;
    let boards: Array2<u64> = if squares <= 32 {
        let boards = reader.by_name::<OwnedRepr<u32>, Ix2>("boards")?;
        boards.mapv(u64::from)
    } else {
        reader.by_name::<OwnedRepr<u64>, Ix2>("boards")?
    };
    let width = if squares <= 64 { 4 } else { 8 };
    let mut columns = Columns {
        squares,
        game: array(&mut reader, "game_id")?,
        ply: array(&mut reader, "ply")?,
        side: array(&mut reader, "stm")?,
        mv: vec![None; boards.nrows()],
        score: unless(array(&mut reader, "score")?, MISSING),
        result: unless(array(&mut reader, "wdl")?, i8::MIN),
        outcome: unless(array(&mut reader, "tb_wdl")?, i8::MIN),
        distance: unless(array(&mut reader, "tb_dtw")?, u16::MAX),
        source: array(&mut reader, "label_source")?,
        ..Columns::default()
    };
    let lengths = [
        columns.game.len(),
        columns.ply.len(),
        columns.side.len(),
        columns.score.len(),
        columns.result.len(),
        columns.outcome.len(),
        columns.distance.len(),
        columns.source.len(),
    ];
    if boards.ncols() != width || lengths.iter().any(|&length| length != boards.nrows()) {
        return Ok(None);
    }
    for row in boards.rows() {
        for (kind, pieces) in columns.pieces.iter_mut().enumerate() {
            let high = row.get(kind + 4).copied().unwrap_or(0);
            pieces.push(u128::from(row[kind]) | u128::from(high) << 64);
        }
    }
    Ok(Some(columns))
}

fn array<T: ReadableElement>(
    reader: &mut NpzReader<File>,
    name: &str,
) -> Result<Vec<T>, ReadNpzError> {
    let array = reader.by_name::<OwnedRepr<T>, Ix1>(name)?;
    Ok(array.into_iter().collect())
}

/// `None` in place of what stands for a missing value.
fn unless<T: Copy + PartialEq>(values: Vec<T>, missing: T) -> Vec<Option<T>> {
    let values = values.into_iter();
    values
        .map(|value| (value != missing).then_some(value))
        .collect()
}
