//! Dialogues in the Hub protocol.

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use makhos_rules::draw::official;
use makhos_rules::notation::hub::parse_move;
use makhos_rules::variant::{CANADIAN, INTERNATIONAL, ITALIAN, RUSSIAN};
use makhos_rules::{Board, Position, RuleSet};
use makhos_selfplay::eval::{Patterns, Weights};
use makhos_selfplay::hub::{Setup, parse_position, serve, write_position};

/// What the other side writes.
struct Pipe {
    lines: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.lines.recv().unwrap_or_default();
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

/// What the engine writes.
struct Answers {
    lines: Sender<String>,
    text: Vec<u8>,
}

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            if *byte == b'\n' {
                let line = String::from_utf8(std::mem::take(&mut self.text)).expect("UTF-8");
                // The test may have ended.
                let _ = self.lines.send(line);
            } else {
                self.text.push(*byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An engine and the one who talks to it.
struct Dialogue {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<String>,
    engine: JoinHandle<io::Result<()>>,
}

impl Dialogue {
    fn with<B: Board>(rules: RuleSet) -> Self {
        let (input, lines) = channel();
        let (answers, output) = channel();
        let engine = thread::spawn(move || {
            let weights = Weights::material_only::<B>(&rules);
            let setup = Setup {
                rules,
                draw_rules: official::of(&rules),
                evaluator: Arc::new(Patterns::<B>::new(&rules, &weights).expect("weights")),
                tables: None,
                mebibytes: 1,
            };
            let pipe = Pipe {
                lines,
                rest: Vec::new(),
            };
            let answers = Answers {
                lines: answers,
                text: Vec::new(),
            };
            serve(&setup, BufReader::new(pipe), answers)
        });
        Self {
            input: Some(input),
            output,
            engine,
        }
    }

    fn say(&self, line: &str) {
        let input = self.input.as_ref().expect("still open");
        input
            .send(format!("{line}\n").into_bytes())
            .expect("it listens");
    }

    fn hear(&self) -> String {
        self.output
            .recv_timeout(Duration::from_secs(60))
            .expect("an answer")
    }

    /// The next line that begins with `start`; only `info` may come before.
    fn wait_for(&self, start: &str) -> String {
        loop {
            let line = self.hear();
            if line.starts_with(start) {
                return line;
            }
            assert!(line.starts_with("info "), "{line}, not {start}");
        }
    }

    /// Closes the input and waits for the engine's end; what it has still said.
    fn end(mut self) -> Vec<String> {
        self.input = None;
        self.engine.join().expect("no panic").expect("no error");
        self.output.try_iter().collect()
    }
}

fn start<B: Board>(rules: &RuleSet) -> String {
    write_position(rules, &Position::<B>::start(rules))
}

#[test]
fn introduction_and_a_move() {
    let engine = Dialogue::with::<u64>(INTERNATIONAL);
    engine.say("hub");
    assert!(engine.hear().starts_with("id name=Makhos version="));
    assert_eq!(
        engine.hear(),
        "param name=variant value=international type=enum values=international"
    );
    assert_eq!(
        engine.hear(),
        "param name=hash value=1 type=int min=1 max=65536"
    );
    assert_eq!(engine.hear(), "wait");
    engine.say("set-param name=hash value=2");
    engine.say("init");
    assert_eq!(engine.hear(), "ready");
    engine.say("new-game");
    engine.say(&format!(
        "pos pos={} moves=\"32-28 19-23 28x19x23 14x23x19\"",
        start::<u64>(&INTERNATIONAL)
    ));
    engine.say("level depth=6");
    engine.say("go think");
    let info = engine.hear();
    assert!(info.starts_with("info depth=1 score="), "{info}");
    assert!(info.contains(" nodes=") && info.contains(" pv="), "{info}");
    let done = engine.wait_for("done move=");
    let mv = done["done move=".len()..]
        .split(' ')
        .next()
        .expect("a move");
    let mut position = Position::<u64>::start(&INTERNATIONAL);
    for text in ["32-28", "19-23", "28x19", "14x23", mv] {
        let mv = parse_move(&INTERNATIONAL, &position, text).expect("legal");
        position = position.make(&mv);
    }
    assert!(done.contains(" ponder="), "{done}");
    engine.say("quit");
    assert!(engine.end().is_empty());
}

#[test]
fn stop_and_ping_are_heard_while_it_thinks() {
    let engine = Dialogue::with::<u64>(INTERNATIONAL);
    engine.say("init");
    assert_eq!(engine.hear(), "ready");
    engine.say("level infinite");
    engine.say("go analyze");
    assert!(engine.hear().starts_with("info depth=1 "));
    engine.say("ping");
    engine.wait_for("pong");
    // This waits.
    engine.say("level nodes=1000");
    engine.say("stop");
    engine.wait_for("done move=");
    engine.say("go think");
    engine.wait_for("done move=");
    engine.say("ping");
    assert_eq!(engine.hear(), "pong");
    // Nothing to stop.
    engine.say("stop");
    engine.say("ping");
    assert_eq!(engine.hear(), "pong");
    engine.end();
}

#[test]
fn pondering_ends_by_time_after_the_move() {
    let engine = Dialogue::with::<u32>(RUSSIAN);
    engine.say("level move-time=0.05");
    engine.say("go ponder");
    assert!(engine.hear().starts_with("info "));
    engine.say("ponder-hit");
    engine.wait_for("done move=");
    engine.say("go ponder");
    assert!(engine.hear().starts_with("info "));
    engine.say("stop");
    engine.wait_for("done move=");
    engine.say("level depth=3");
    engine.say("go ponder");
    engine.say("ponder-hit");
    engine.wait_for("done move=");
    engine.end();
}

#[test]
fn the_end_of_the_input_ends_a_search() {
    let engine = Dialogue::with::<u64>(INTERNATIONAL);
    engine.say("level infinite");
    engine.say("go think");
    assert!(engine.hear().starts_with("info "));
    let last = engine.end();
    assert!(
        last.last()
            .is_some_and(|line| line.starts_with("done move=")),
        "{last:?}"
    );
    // Quit does it while the input stays open.
    let engine = Dialogue::with::<u32>(RUSSIAN);
    engine.say("level infinite");
    engine.say("go think");
    assert!(engine.hear().starts_with("info "));
    engine.say("quit");
    engine.wait_for("done move=");
    engine.end();
}

#[test]
fn bad_input_is_answered_with_an_error() {
    let engine = Dialogue::with::<u32>(RUSSIAN);
    let right = start::<u32>(&RUSSIAN);
    for (line, why) in [
        ("pos".to_owned(), "pos needs the argument pos"),
        ("pos pos=W".to_owned(), "33 characters"),
        (format!("pos pos=X{}", &right[1..]), "begins with W or B"),
        (format!("pos pos={}x", &right[..32]), "square 32 holds 'x'"),
        (
            format!("pos pos={right} moves=\"22-18 99-1\""),
            "no square 99",
        ),
        (format!("pos pos={right} moves=22-9"), "not a legal move"),
        (format!("pos pos={right} moves=abc"), "abc"),
        ("pos pos=\"W".to_owned(), "quote is not closed"),
        ("pos =".to_owned(), "no name"),
        ("level".to_owned(), "level takes"),
        (
            "level depth=deep".to_owned(),
            "depth of level does not take deep",
        ),
        ("level move-time=-1".to_owned(), "no time in seconds"),
        ("go".to_owned(), "think, ponder or analyze"),
        ("set-param name=hash value=0".to_owned(), "from 1 to 65536"),
        (
            "set-param name=colour value=1".to_owned(),
            "no parameter colour",
        ),
        (
            "set-param name=variant value=thai".to_owned(),
            "plays russian",
        ),
        ("set-param".to_owned(), "needs the argument name"),
        (format!("pos pos=W{}w", "e".repeat(31)), ""),
    ] {
        engine.say(&line);
        if why.is_empty() {
            continue;
        }
        let answer = engine.hear();
        assert!(answer.starts_with("error message=\""), "{line}: {answer}");
        assert!(answer.contains(why), "{line}: {answer}");
    }
    // A lone side whose opponent has gone has still moves; the one without pieces has none.
    engine.say(&format!("pos pos=B{}w", "e".repeat(31)));
    engine.say("go think");
    assert!(engine.hear().contains("no legal move"));
    // What is not known is passed over.
    engine.say("teleport to=mars");
    engine.say("");
    engine.say("ping extra=1");
    assert_eq!(engine.hear(), "pong");
    engine.end();
}

#[test]
fn other_boards_have_positions_of_their_size() {
    fn answers<B: Board>(rules: RuleSet) {
        let engine = Dialogue::with::<B>(rules);
        let text = start::<B>(&rules);
        assert_eq!(text.len() as u32, B::SQUARES + 1);
        let position = parse_position::<B>(&rules, &text).expect("a position");
        engine.say(&format!("pos pos={text}"));
        engine.say("level nodes=500");
        engine.say("go think");
        let done = engine.wait_for("done move=");
        let mv = done["done move=".len()..]
            .split(' ')
            .next()
            .expect("a move");
        parse_move(&rules, &position, mv).expect("legal");
        engine.end();
    }
    answers::<u32>(RUSSIAN);
    answers::<u32>(ITALIAN);
    answers::<u128>(CANADIAN);
}
