"""Real files of Makhos, loaded by the libraries that researchers use.

Run by run.sh, with the binary in the environment variable MAKHOS. Everything that a library says is compared with
another source: the manifest, another library, or the program itself asked about single positions.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import numpy
import onnxruntime
import pyarrow
import pyarrow.parquet
import safetensors.numpy

import board

os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HUB_OFFLINE"] = "1"
import datasets  # noqa: E402  (offline is decided when it is imported)

try:
    import torch
except (ImportError, OSError):
    torch = None

COLUMNS = {
    "game_id": pyarrow.uint64(),
    "ply": pyarrow.uint16(),
    "stm": pyarrow.uint8(),
    "wm": pyarrow.uint32(),
    "bm": pyarrow.uint32(),
    "wk": pyarrow.uint32(),
    "bk": pyarrow.uint32(),
    "move": pyarrow.string(),
    "score": pyarrow.int16(),
    "wdl": pyarrow.int8(),
    "tb_wdl": pyarrow.int8(),
    "tb_dtw": pyarrow.uint16(),
    "label_source": pyarrow.uint8(),
}
# What stands for a null in an array.
MISSING = {"score": -32768, "wdl": -128, "tb_wdl": -128, "tb_dtw": 65535}
PIECES = 3


def makhos(*arguments, text=""):
    """The standard output of the program, which must succeed."""
    command = [os.environ["MAKHOS"], *map(str, arguments)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stderr}")
    return done.stdout


class Files(unittest.TestCase):
    """A tiny run of self-play and what is made of it."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.dir = Path(cls.directory.name)
        tables = ("--variant", "russian", "--dir", cls.dir / "tables")
        makhos("generate", *tables, "--pieces", PIECES)
        games = cls.dir / "games"
        makhos("selfplay", *tables, "--games", 120, "--nodes", 60, "--seed", 3, "--out", games)
        everything = ("--captures", "--forced", "--openings", "--rows-per-file", 2000)
        for form in ("parquet", "npz"):
            out = cls.dir / form
            makhos("dataset", "export", *tables, "--games", games, "--out", out, "--form", form, *everything)
        makhos("dataset", "sample", *tables, "--positions", 3000, "--by-class", "--out", cls.dir / "sample")
        makhos("train", "network", *tables, "--games", games, "--epochs", 3, "--out", cls.dir / "net.safetensors")
        cls.tables = tables
        cls.played = json.loads((games / "manifest.json").read_text())
        cls.rows = {name: cls.arrow(name) for name in ("parquet", "sample")}

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    @classmethod
    def manifest(cls, name):
        return json.loads((cls.dir / name / "manifest.json").read_text())

    @classmethod
    def arrow(cls, name):
        """All rows of a data set by split, in the order of the files."""
        splits = {}
        for file in cls.manifest(name)["files"]:
            rows = pyarrow.parquet.read_table(cls.dir / name / file["name"]).to_pylist()
            splits.setdefault(file["split"], []).extend(rows)
        return splits

    def test_manifest_and_pyarrow_agree(self):
        for name in ("parquet", "sample"):
            manifest = self.manifest(name)
            rows = exact = 0
            for file in manifest["files"]:
                path = self.dir / name / file["name"]
                self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), file["sha256"])
                self.assertEqual(path.stat().st_size, file["bytes"])
                table = pyarrow.parquet.read_table(path)
                self.assertEqual(dict(zip(table.schema.names, table.schema.types)), COLUMNS)
                self.assertEqual(table.num_rows, file["rows"])
                known = table.num_rows - table["tb_wdl"].null_count
                self.assertEqual(known, file["exact_rows"])
                rows, exact = rows + table.num_rows, exact + known
            self.assertEqual((rows, exact), (manifest["rows"], manifest["exact_rows"]))
            self.assertGreater(len(manifest["files"]), 2)

    def test_rows_are_those_of_the_games(self):
        splits = self.rows["parquet"]
        rows = [row for split in splits.values() for row in split]
        games = {split: {row["game_id"] for row in rows} for split, rows in splits.items()}
        self.assertEqual(sorted(games), ["test", "train", "validation"])
        self.assertEqual(sum(map(len, games.values())), len(set().union(*games.values())), "a game in two splits")
        totals = self.played["totals"]
        self.assertEqual(len(set().union(*games.values())), totals["games"])
        # A row for every move; and the positions in which tables ended a game, where none was made.
        moves = [row for row in rows if row["move"] is not None]
        self.assertEqual(len(moves), totals["positions"])
        self.assertEqual(len(rows) - len(moves), totals["ended_by_tables"])
        self.assertEqual(sum(row["score"] is not None for row in rows), totals["scored"])
        # The result of every game, from the view of White.
        results = {}
        for row in rows:
            white = row["wdl"] if row["stm"] == 0 else -row["wdl"]
            self.assertEqual(results.setdefault(row["game_id"], white), white)
        counted = Counter(results.values())
        self.assertEqual(counted[1], totals["white_wins"])
        self.assertEqual(counted[0], totals["draws"])
        self.assertEqual(counted[-1], totals["black_wins"])
        # Plies follow on one another, and no two pieces share a square.
        by_game = {}
        for row in rows:
            by_game.setdefault(row["game_id"], []).append(row["ply"])
            self.assertEqual(board.pieces(row), bin(row["wm"] | row["bm"] | row["wk"] | row["bk"]).count("1"))
        for plies in by_game.values():
            self.assertEqual(plies, list(range(len(plies))))

    def test_exact_labels_are_where_tables_are_and_right(self):
        for name in ("parquet", "sample"):
            rows = [row for split in self.rows[name].values() for row in split]
            known = [row for row in rows if row["tb_wdl"] is not None]
            self.assertEqual(len(known), sum(board.pieces(row) <= PIECES for row in rows))
            for row in rows:
                self.assertEqual(row["label_source"] == 2, row["tb_wdl"] is not None)
                self.assertEqual(row["tb_dtw"] is not None, row["tb_wdl"] in (1, -1))
            if name == "sample":
                self.assertEqual(len(known), 3000)
                self.assertTrue(all(row["wdl"] is row["move"] is row["score"] is None for row in rows))
            fens = "\n".join(map(board.fen, known)) + "\n"
            said = makhos("probe", *self.tables, text=fens).splitlines()
            self.assertEqual(len(said), len(known))
            for line, row in zip(said, known):
                _, verdict, distance, _ = line.split("\t")
                self.assertEqual({"win": 1, "draw": 0, "loss": -1}[verdict], row["tb_wdl"], line)
                self.assertEqual(None if distance == "-" else int(distance), row["tb_dtw"], line)

    def test_datasets_loads_them_unaided(self):
        out = self.dir / "parquet"
        names = {split: str(out / f"{split}-*.parquet") for split in ("train", "validation", "test")}
        loaded = datasets.load_dataset("parquet", data_files=names, cache_dir=str(self.dir / "cache"))
        for split, rows in self.rows["parquet"].items():
            self.assertEqual(loaded[split].num_rows, len(rows))
            self.assertEqual(loaded[split].column_names, list(COLUMNS))
            self.assertEqual(loaded[split][0], rows[0])
            self.assertEqual(loaded[split][-1], rows[-1])
            self.assertEqual(list(loaded[split]["tb_dtw"]), [row["tb_dtw"] for row in rows])
        # By the card alone, as from the Hub; and as a stream.
        by_card = datasets.load_dataset(str(out), split="train", cache_dir=str(self.dir / "cache"))
        self.assertEqual(by_card.num_rows, len(self.rows["parquet"]["train"]))
        stream = datasets.load_dataset("parquet", data_files=names, split="test", streaming=True)
        self.assertEqual(next(iter(stream)), self.rows["parquet"]["test"][0])

    def test_numpy_reads_the_same_rows(self):
        for split, rows in self.rows["parquet"].items():
            names = [file["name"] for file in self.manifest("npz")["files"] if file["split"] == split]
            parts = [numpy.load(self.dir / "npz" / name) for name in names]
            whole = {key: numpy.concatenate([part[key] for part in parts]) for key in parts[0].files}
            boards = numpy.array([[row[name] for name in board.SETS] for row in rows], dtype=numpy.uint32)
            self.assertEqual(whole["boards"].dtype, numpy.uint32)
            numpy.testing.assert_array_equal(whole.pop("boards"), boards)
            self.assertEqual(set(whole), set(COLUMNS) - set(board.SETS) - {"move"})
            for key, array in whole.items():
                self.assertEqual(array.dtype, COLUMNS[key].to_pandas_dtype())
                absent = MISSING.get(key)
                expected = [absent if row[key] is None else row[key] for row in rows]
                numpy.testing.assert_array_equal(array, expected)

    def test_onnx_and_safetensors_say_what_the_program_says(self):
        rows = self.rows["parquet"]["train"][:1500] + self.rows["sample"]["train"][:500]
        fens = "\n".join(map(board.fen, rows)) + "\n"
        text = makhos(
            "train", "evaluate", "--variant", "russian", "--weights", self.dir / "net.safetensors", "--json", text=fens
        )
        said = numpy.array([position["probabilities"] for position in json.loads(text)["positions"]])
        inputs = numpy.array([board.inputs(row) for row in rows], dtype=numpy.float32)
        session = onnxruntime.InferenceSession(str(self.dir / "net.onnx"), providers=["CPUExecutionProvider"])
        (found,) = session.run(["wdl"], {"board": inputs})
        self.assertEqual(found.shape, (len(rows), 3))
        numpy.testing.assert_allclose(found, said, rtol=0, atol=1e-5)
        self.assertGreater(said.std(axis=0).min(), 1e-3, "it says the same of everything")
        tensors = safetensors.numpy.load_file(self.dir / "net.safetensors")
        layer = inputs.astype(numpy.float64)
        for number in (1, 2, 3):
            layer = layer @ tensors[f"layer{number}.weight"] + tensors[f"layer{number}.bias"]
            layer = numpy.maximum(layer, 0) if number < 3 else layer
        odds = numpy.exp(layer - layer.max(axis=1, keepdims=True))
        numpy.testing.assert_allclose(odds / odds.sum(axis=1, keepdims=True), said, rtol=0, atol=1e-5)

    @unittest.skipIf(torch is None, "PyTorch is not installed: its DataLoader was not tested")
    def test_pytorch_trains_on_batches(self):
        out = self.dir / "parquet"
        rows = datasets.load_dataset(
            "parquet", data_files=str(out / "train-*.parquet"), split="train", cache_dir=str(self.dir / "cache")
        )

        def collate(batch):
            label = [row["wdl"] if row["tb_wdl"] is None else row["tb_wdl"] for row in batch]
            inputs = torch.tensor([board.inputs(row) for row in batch])
            return inputs, torch.tensor(label) + 1

        torch.manual_seed(1)
        loader = torch.utils.data.DataLoader(rows, batch_size=256, shuffle=True, collate_fn=collate)
        model = torch.nn.Sequential(torch.nn.Linear(128, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        losses, seen = [], 0
        for inputs, labels in loader:
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            seen += len(labels)
        self.assertEqual(seen, len(self.rows["parquet"]["train"]))
        self.assertLess(losses[-1], losses[0])


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    for _, reason in program.result.skipped:
        print(f"SKIPPED: {reason}", file=sys.stderr)
    sys.exit(not program.result.wasSuccessful())
