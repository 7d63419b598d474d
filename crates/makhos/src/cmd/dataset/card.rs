//! The description of a data set: `README.md` and `manifest.json`.

use std::fs;
use std::path::Path;

use makhos_rules::RuleSet;
use makhos_selfplay::dataset::{DatasetFile, Form, Split};
use serde::Serialize;

use crate::exit::{OrFail, Outcome};
use crate::json::RulesJson;
use crate::text::grouped;

/// The name of the manifest, and what it says it is.
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const FORMAT: &str = "makhos-dataset 1";

/// What a data set holds.
#[derive(Debug, Serialize)]
pub(super) struct Manifest {
    format: &'static str,
    generator: String,
    #[serde(flatten)]
    rules: RulesJson,
    /// What the rows come from, in a sentence.
    pub(super) source: String,
    /// Pieces of the largest tables that labels come from, 0 without tables.
    pub(super) table_pieces: u32,
    pub(super) rows: u64,
    pub(super) exact_rows: u64,
    files: Vec<FileJson>,
}

#[derive(Debug, Serialize)]
struct FileJson {
    name: String,
    split: &'static str,
    rows: u64,
    exact_rows: u64,
    bytes: u64,
    sha256: String,
}

impl Manifest {
    pub(super) fn new(
        rules: &RuleSet,
        source: String,
        table_pieces: u32,
        files: &[DatasetFile],
    ) -> Self {
        Self {
            format: FORMAT,
            generator: format!("makhos {}", env!("CARGO_PKG_VERSION")),
            rules: RulesJson::new(rules),
            source,
            table_pieces,
            rows: files.iter().map(|file| file.rows).sum(),
            exact_rows: files.iter().map(|file| file.exact).sum(),
            files: files
                .iter()
                .map(|file| FileJson {
                    name: file.name.clone(),
                    split: file.split.name(),
                    rows: file.rows,
                    exact_rows: file.exact,
                    bytes: file.bytes,
                    sha256: file.sha256.clone(),
                })
                .collect(),
        }
    }

    /// Writes both files into the directory of the data set.
    pub(super) fn write(&self, rules: &RuleSet, form: Form, dir: &Path) -> Outcome<()> {
        let mut text = serde_json::to_string_pretty(self).or_environment()?;
        text.push('\n');
        fs::write(dir.join(MANIFEST), text).or_environment()?;
        fs::write(dir.join("README.md"), self.card(rules, form)).or_environment()
    }

    fn rows_of(&self, split: Split) -> u64 {
        let of_split = self.files.iter().filter(|file| file.split == split.name());
        of_split.map(|file| file.rows).sum()
    }

    /// The card, in the form that Hugging Face reads.
    fn card(&self, rules: &RuleSet, form: Form) -> String {
        let size = match self.rows {
            0..1_000 => "n<1K",
            1_000..10_000 => "1K<n<10K",
            10_000..100_000 => "10K<n<100K",
            100_000..1_000_000 => "100K<n<1M",
            1_000_000..10_000_000 => "1M<n<10M",
            10_000_000..100_000_000 => "10M<n<100M",
            _ => "100M<n<1B",
        };
        let mut files = String::new();
        for split in Split::ALL
            .into_iter()
            .filter(|&split| self.rows_of(split) > 0)
        {
            let name = split.name();
            files.push_str(&format!(
                "  - split: {name}\n    path: \"{name}-*.{}\"\n",
                form.name()
            ));
        }
        let variant = rules.name;
        let rows = grouped(self.rows.into());
        let exact = grouped(self.exact_rows.into());
        let source = &self.source;
        let tables = match self.table_pieces {
            0 => "No tables were at hand, so `tb_wdl` and `tb_dtw` are null.".to_owned(),
            pieces => format!(
                "`tb_wdl` and `tb_dtw` are exact for positions of up to {pieces} pieces whose tables were at hand; they \
                 ignore drawing rules by counting moves."
            ),
        };
        format!(
            "---\nlicense: cc0-1.0\npretty_name: Makhos {variant} draughts\ntags:\n- draughts\n- checkers\n- endgame\n\
             size_categories:\n- {size}\nconfigs:\n- config_name: default\n  data_files:\n{files}---\n\n\
             # {variant} draughts positions\n\n{rows} positions, {exact} of them with exact labels. {source} {tables}\n\n\
             | column | what |\n|---|---|\n\
             | `game_id` | the game, plus 2^48 times the number of its run; all positions of a game are in one split |\n\
             | `ply` | plies since the game began |\n\
             | `stm` | side to move: 0 White, 1 Black |\n\
             | `wm`, `bm`, `wk`, `bk` | white men, black men, white kings, black kings as sets of bits: square 1, the \
             top left playable one as White sees the board, is bit 0; White moves up |\n\
             | `move` | the move played, in Hub form |\n\
             | `score` | the search's score for the side to move; null without a search |\n\
             | `wdl` | the result of the game for the side to move: 1, 0, -1; null without a game |\n\
             | `tb_wdl` | the exact outcome for the side to move |\n\
             | `tb_dtw` | plies to the end of the game under best play, for won and lost positions |\n\
             | `label_source` | where the best label comes from: 2 the tables know the position, use `tb_wdl`; else `wdl` of a \
             game that 0 was played out, 1 was decided by tables |\n\n\
             ```python\nfrom datasets import load_dataset\ndata = load_dataset(\"{}\", data_files={{\"train\": \
             \"train-*.{}\"}})\n```\n\n`manifest.json` has the digests of the files.\n",
            form.name(),
            form.name()
        )
    }
}
