//! Columns as a Parquet file.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::DatasetError;
use super::columns::Columns;

/// Rows of a row group.
const ROW_GROUP: usize = 1 << 17;

/// Writes the columns to a new file at `path`, with `metadata` for readers as keys and values.
///
/// The same columns and metadata give the same bytes.
///
/// # Errors
/// [`DatasetError::Io`], [`DatasetError::Parquet`].
pub fn write_parquet(
    columns: &Columns,
    metadata: &[(&str, String)],
    path: &Path,
) -> Result<(), DatasetError> {
    let io = |source| DatasetError::Io {
        path: path.to_owned(),
        source,
    };
    let file = File::create(path).map_err(io)?;
    let synced = file.try_clone().map_err(io)?;
    write(columns, metadata, file).map_err(|source| DatasetError::Parquet {
        path: path.to_owned(),
        source,
    })?;
    synced.sync_all().map_err(io)
}

fn write(columns: &Columns, metadata: &[(&str, String)], file: File) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(&schema(columns.squares))?);
    let metadata = metadata
        .iter()
        .map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()))
        .collect();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_key_value_metadata(Some(metadata))
        .build();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let mut start = 0;
    while start < columns.len() {
        let end = (start + ROW_GROUP).min(columns.len());
        let mut group = writer.next_row_group()?;
        write_rows(columns, start..end, &mut group)?;
        group.close()?;
        start = end;
    }
    writer.close()?;
    Ok(())
}

/// The schema in Parquet's own language.
pub(super) fn schema(squares: u32) -> String {
    let mut fields = String::from(
        "REQUIRED INT64 game_id (INTEGER(64,false));\n\
         REQUIRED INT32 ply (INTEGER(16,false));\n\
         REQUIRED INT32 stm (INTEGER(8,false));\n",
    );
    for name in ["wm", "bm", "wk", "bk"] {
        match squares {
            0..=32 => fields.push_str(&format!("REQUIRED INT32 {name} (INTEGER(32,false));\n")),
            33..=64 => fields.push_str(&format!("REQUIRED INT64 {name} (INTEGER(64,false));\n")),
            _ => {
                for half in ["lo", "hi"] {
                    let field = format!("REQUIRED INT64 {name}_{half} (INTEGER(64,false));\n");
                    fields.push_str(&field);
                }
            }
        }
    }
    fields.push_str(
        "OPTIONAL BYTE_ARRAY move (UTF8);\n\
         OPTIONAL INT32 score (INTEGER(16,true));\n\
         OPTIONAL INT32 wdl (INTEGER(8,true));\n\
         OPTIONAL INT32 tb_wdl (INTEGER(8,true));\n\
         OPTIONAL INT32 tb_dtw (INTEGER(16,false));\n\
         REQUIRED INT32 label_source (INTEGER(8,false));\n",
    );
    format!("message position {{\n{fields}}}")
}

type Group<'a> = SerializedRowGroupWriter<'a, File>;

fn write_rows(
    columns: &Columns,
    rows: std::ops::Range<usize>,
    group: &mut Group<'_>,
) -> Result<(), ParquetError> {
    let games: Vec<i64> = columns.game[rows.clone()]
        .iter()
        .map(|&game| game as i64)
        .collect();
    required::<Int64Type>(group, &games)?;
    required::<Int32Type>(group, &widened(&columns.ply[rows.clone()]))?;
    required::<Int32Type>(group, &widened(&columns.side[rows.clone()]))?;
    for sets in &columns.pieces {
        let sets = &sets[rows.clone()];
        match columns.squares {
            // Unsigned numbers are stored by their bits.
            0..=32 => {
                let words: Vec<i32> = sets.iter().map(|&set| set as u32 as i32).collect();
                required::<Int32Type>(group, &words)?;
            }
            squares => {
                let low: Vec<i64> = sets.iter().map(|&set| set as u64 as i64).collect();
                required::<Int64Type>(group, &low)?;
                if squares > 64 {
                    let high: Vec<i64> = sets.iter().map(|&set| (set >> 64) as i64).collect();
                    required::<Int64Type>(group, &high)?;
                }
            }
        }
    }
    let moves = columns.mv[rows.clone()].iter();
    let moves: Vec<Option<ByteArray>> = moves
        .map(|mv| mv.as_ref().map(|mv| ByteArray::from(mv.as_str())))
        .collect();
    optional::<ByteArrayType>(group, &moves)?;
    optional::<Int32Type>(group, &widened_options(&columns.score[rows.clone()]))?;
    optional::<Int32Type>(group, &widened_options(&columns.result[rows.clone()]))?;
    optional::<Int32Type>(group, &widened_options(&columns.outcome[rows.clone()]))?;
    optional::<Int32Type>(group, &widened_options(&columns.distance[rows.clone()]))?;
    required::<Int32Type>(group, &widened(&columns.source[rows]))
}

fn widened<T: Copy + Into<i32>>(values: &[T]) -> Vec<i32> {
    values.iter().map(|&value| value.into()).collect()
}

fn widened_options<T: Copy + Into<i32>>(values: &[Option<T>]) -> Vec<Option<i32>> {
    values.iter().map(|value| value.map(Into::into)).collect()
}

/// Writes the next column, which has a value in every row.
fn required<T: DataType>(group: &mut Group<'_>, values: &[T::T]) -> Result<(), ParquetError> {
    let column = group.next_column()?;
    let mut column = column.ok_or_else(|| ParquetError::General("a column too many".into()))?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

/// Writes the next column, in which values may be missing.
fn optional<T: DataType>(
    group: &mut Group<'_>,
    values: &[Option<T::T>],
) -> Result<(), ParquetError> {
    let there: Vec<i16> = values.iter().map(|value| value.is_some().into()).collect();
    let values: Vec<T::T> = values.iter().flatten().cloned().collect();
    let column = group.next_column()?;
    let mut column = column.ok_or_else(|| ParquetError::General("a column too many".into()))?;
    column
        .typed::<T>()
        .write_batch(&values, Some(&there), None)?;
    column.close()
}

#[cfg(test)]
mod tests {
    use makhos_probe::{Dtw, Plies, Wld};
    use makhos_rules::{Board, Position, RuleSet, variant};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::super::columns::{LabelSource, Row};
    use super::super::read_parquet;
    use super::*;

    fn rows<B: Board>(rules: &RuleSet) -> Columns {
        let mut columns = Columns::new::<B>();
        let position = Position::<B>::start(rules);
        let mv = rules.legal_moves(&position)[0];
        let first = Row {
            game: u64::MAX,
            ply: 7,
            position,
            mv: Some(mv),
            score: Some(-12),
            result: Some(Wld::Loss),
            source: LabelSource::Adjudicated,
            outcome: None,
            distance: None,
        };
        columns.push(rules, &first);
        let second = Row {
            mv: None,
            score: None,
            result: None,
            outcome: Some(Wld::Win),
            distance: Some(Dtw::Win(Plies::new(301))),
            source: LabelSource::Tables,
            ..first
        };
        columns.push(rules, &second);
        columns
    }

    fn read<B: Board>(rules: &RuleSet) -> Vec<Vec<(String, Field)>> {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("rows.parquet");
        let metadata = [("variant", rules.name.to_owned())];
        write_parquet(&rows::<B>(rules), &metadata, &path).expect("it can be written");
        let again = dir.path().join("again.parquet");
        write_parquet(&rows::<B>(rules), &metadata, &again).expect("it can be written");
        assert!(std::fs::read(&path).expect("a file") == std::fs::read(&again).expect("a file"));
        let back = read_parquet(&path, B::SQUARES).expect("it can be read");
        assert!(back == rows::<B>(rules));
        let other = if B::SQUARES == 50 { 32 } else { 50 };
        assert!(matches!(
            read_parquet(&path, other),
            Err(DatasetError::Other { .. })
        ));
        let reader =
            SerializedFileReader::new(File::open(&path).expect("a file")).expect("Parquet");
        let rows = reader.get_row_iter(None).expect("rows");
        rows.map(|row| row.expect("a row").into_columns()).collect()
    }

    #[test]
    fn rows_come_back() {
        let rows = read::<u32>(&variant::ENGLISH);
        let value = |row: usize, name: &str| {
            let found = rows[row].iter().find(|(other, _)| other == name);
            found.expect(name).1.clone()
        };
        assert_eq!(value(0, "game_id"), Field::ULong(u64::MAX));
        assert_eq!(value(0, "ply"), Field::UShort(7));
        assert_eq!(value(0, "stm"), Field::UByte(1));
        assert_eq!(value(0, "wm"), Field::UInt(0xFFF0_0000));
        assert_eq!(value(0, "bm"), Field::UInt(0x0FFF));
        assert_eq!(value(0, "score"), Field::Short(-12));
        assert_eq!(value(0, "wdl"), Field::Byte(-1));
        assert_eq!(value(0, "tb_wdl"), Field::Null);
        assert_eq!(value(0, "label_source"), Field::UByte(1));
        assert!(matches!(value(0, "move"), Field::Str(text) if text.contains('-')));
        assert_eq!(value(1, "move"), Field::Null);
        assert_eq!(value(1, "tb_wdl"), Field::Byte(1));
        assert_eq!(value(1, "tb_dtw"), Field::UShort(301));
    }

    #[test]
    fn every_board_has_its_columns() {
        assert_eq!(read::<u64>(&variant::INTERNATIONAL)[0].len(), 13);
        assert_eq!(read::<u128>(&variant::CANADIAN)[0].len(), 17);
    }
}
