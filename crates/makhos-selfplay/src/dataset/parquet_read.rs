//! Columns from a Parquet file of ours.

use std::fs::File;
use std::path::Path;

use parquet::basic::Type as Physical;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor};

use super::DatasetError;
use super::columns::Columns;
use super::parquet::schema;

/// Reads a file that [`write_parquet`](super::write_parquet) has written for a board of so many squares.
///
/// # Errors
/// [`DatasetError::Io`], [`DatasetError::Parquet`], and [`DatasetError::Other`] if its columns are others.
pub fn read_parquet(path: &Path, squares: u32) -> Result<Columns, DatasetError> {
    let file = File::open(path).map_err(|source| DatasetError::Io {
        path: path.to_owned(),
        source,
    })?;
    let failed = |source| DatasetError::Parquet {
        path: path.to_owned(),
        source,
    };
    let reader = SerializedFileReader::new(file).map_err(failed)?;
    let found = reader.metadata().file_metadata().schema_descr_ptr();
    if !has_columns(&found, squares).map_err(failed)? {
        return Err(DatasetError::Other {
            path: path.to_owned(),
            reason: "its columns are not those of positions on this board".to_owned(),
        });
    }
    let mut columns = Columns {
        squares,
        ..Columns::default()
    };
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(failed)?;
        read_group(group.as_ref(), &mut columns).map_err(failed)?;
    }
    Ok(columns)
}

/// Whether the names and types of columns are those that are written.
fn has_columns(found: &SchemaDescPtr, squares: u32) -> Result<bool, ParquetError> {
    let expected = SchemaDescriptor::new(parse_message_type(&schema(squares))?.into());
    let all = |schema: &SchemaDescriptor| -> Vec<(String, Physical, i16, i16)> {
        let columns = schema.columns().iter();
        columns
            .map(|column| {
                let levels = (column.max_def_level(), column.max_rep_level());
                let path = column.path().string();
                (path, column.physical_type(), levels.0, levels.1)
            })
            .collect()
    };
    Ok(all(found) == all(&expected))
}

fn read_group(group: &dyn RowGroupReader, columns: &mut Columns) -> Result<(), ParquetError> {
    let mut reader = GroupReader { group, next: 0 };
    let games = reader.required::<Int64Type>()?;
    columns.game.extend(games.iter().map(|&game| game as u64));
    columns
        .ply
        .extend(narrowed::<u16>(&reader.required::<Int32Type>()?)?);
    columns
        .side
        .extend(narrowed::<u8>(&reader.required::<Int32Type>()?)?);
    for kind in 0..4 {
        let sets: Vec<u128> = match columns.squares {
            0..=32 => {
                let words = reader.required::<Int32Type>()?;
                words.iter().map(|&word| u128::from(word as u32)).collect()
            }
            squares => {
                let wide = |word: i64| u128::from(word as u64);
                let low = reader.required::<Int64Type>()?;
                if squares > 64 {
                    let high = reader.required::<Int64Type>()?;
                    let both = low.iter().zip(&high);
                    both.map(|(&low, &high)| wide(low) | wide(high) << 64)
                        .collect()
                } else {
                    low.into_iter().map(wide).collect()
                }
            }
        };
        columns.pieces[kind].extend(sets);
    }
    for text in reader.optional::<ByteArrayType>()? {
        let text = match text {
            Some(bytes) => Some(bytes.as_utf8()?.to_owned()),
            None => None,
        };
        columns.mv.push(text);
    }
    columns
        .score
        .extend(narrowed_options::<i16>(&reader.optional::<Int32Type>()?)?);
    columns
        .result
        .extend(narrowed_options::<i8>(&reader.optional::<Int32Type>()?)?);
    columns
        .outcome
        .extend(narrowed_options::<i8>(&reader.optional::<Int32Type>()?)?);
    columns
        .distance
        .extend(narrowed_options::<u16>(&reader.optional::<Int32Type>()?)?);
    columns
        .source
        .extend(narrowed::<u8>(&reader.required::<Int32Type>()?)?);
    Ok(())
}

/// Reads the columns of a row group one after the other.
struct GroupReader<'a> {
    group: &'a dyn RowGroupReader,
    next: usize,
}

impl GroupReader<'_> {
    /// The next column and its definition levels, which are empty where all values are there.
    fn column<T: DataType>(&mut self) -> Result<(Vec<T::T>, Vec<i16>), ParquetError> {
        let rows = usize::try_from(self.group.metadata().num_rows()).unwrap_or(0);
        let mut reader = get_typed_column_reader::<T>(self.group.get_column_reader(self.next)?);
        self.next += 1;
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let mut read = 0;
        while read < rows {
            let (records, ..) =
                reader.read_records(rows - read, Some(&mut levels), None, &mut values)?;
            if records == 0 {
                return Err(wrong("a column is too short"));
            }
            read += records;
        }
        Ok((values, levels))
    }

    fn required<T: DataType>(&mut self) -> Result<Vec<T::T>, ParquetError> {
        Ok(self.column::<T>()?.0)
    }

    fn optional<T: DataType>(&mut self) -> Result<Vec<Option<T::T>>, ParquetError> {
        let (values, levels) = self.column::<T>()?;
        let mut values = values.into_iter();
        let all = levels
            .iter()
            .map(|&level| if level > 0 { values.next() } else { None });
        Ok(all.collect())
    }
}

fn wrong(text: &str) -> ParquetError {
    ParquetError::General(text.to_owned())
}

/// Values in the type they were widened from.
fn narrowed<T: TryFrom<i32>>(values: &[i32]) -> Result<Vec<T>, ParquetError> {
    let narrow = |&value: &i32| T::try_from(value).map_err(|_| wrong("a value is out of range"));
    values.iter().map(narrow).collect()
}

fn narrowed_options<T: TryFrom<i32>>(
    values: &[Option<i32>],
) -> Result<Vec<Option<T>>, ParquetError> {
    let narrow = |value: &Option<i32>| match value {
        Some(value) => T::try_from(*value)
            .map(Some)
            .map_err(|_| wrong("a value is out of range")),
        None => Ok(None),
    };
    values.iter().map(narrow).collect()
}
