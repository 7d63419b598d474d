use std::io;
use std::sync::Arc;

use makhos_rules::draw::official;
use makhos_rules::game::Game;
use makhos_rules::notation::fen;
use makhos_rules::variant::{INTERNATIONAL, RUSSIAN};

use super::*;
use crate::eval::{Patterns, Weights};
use crate::hub::{Setup, serve};
use crate::matches::{EnginePlayer, Match, Tally};
use crate::search::{Limits, Searcher, Settings};

fn material() -> Arc<Patterns<u32>> {
    let weights = Weights::material_only::<u32>(&RUSSIAN);
    Arc::new(Patterns::new(&RUSSIAN, &weights).expect("weights"))
}

/// The other side of [`ourselves`].
#[test]
#[ignore = "an engine on standard input, started by other tests"]
fn engine_process() {
    let setup = Setup {
        rules: RUSSIAN,
        draw_rules: official::of(&RUSSIAN),
        evaluator: material(),
        tables: None,
        mebibytes: 1,
    };
    serve(&setup, BufReader::new(io::stdin()), io::stdout()).expect("a dialogue");
}

/// This very program, serving the engine.
fn ourselves(level: HubLevel) -> HubProgram {
    let program = std::env::current_exe().expect("a program");
    let test = "matches::hub_player::tests::engine_process";
    HubProgram {
        arguments: [
            "--ignored",
            "--exact",
            test,
            "--nocapture",
            "--test-threads=1",
        ]
        .map(str::to_owned)
        .to_vec(),
        parameters: vec![("hash".into(), "1".into())],
        ..HubProgram::new(program, level)
    }
}

fn engine(depth: u32) -> EnginePlayer<u32> {
    let settings = Settings::default().with_mebibytes(1);
    let searcher = Searcher::new(RUSSIAN, official::of(&RUSSIAN), material(), settings);
    EnginePlayer::new(searcher, Limits::depth(depth))
}

#[test]
fn an_engine_plays_the_same_through_the_protocol() {
    let small = Match {
        openings: 6,
        pairs: 3,
        ..Match::new(RUSSIAN, official::of(&RUSSIAN))
    };
    let within = || Ok(engine(2));
    let direct = small
        .run(&|| Ok(engine(4)), &within, &mut |_| true)
        .expect("a match");
    let program = ourselves(HubLevel::Depth(4));
    let started = || HubPlayer::start(&RUSSIAN, &program);
    let through = small
        .run(&started, &within, &mut |_| true)
        .expect("a match");
    assert_eq!(direct, through);
    assert_ne!(direct.tally, Tally::default());
}

#[test]
fn positions_tell_what_can_come_back() {
    let start = fen::parse::<u32>(&RUSSIAN, "W:WK1,32:BK4").expect("a position");
    let mut line = Line::new(Game::new(RUSSIAN, official::of(&RUSSIAN), start));
    let only = format!("pos pos={}", write_position(&RUSSIAN, &start));
    assert_eq!(position(&RUSSIAN, &line), only);
    for text in ["1-5", "4-8"] {
        let mv = parse_move(&RUSSIAN, line.game().position(), text).expect("a move");
        line.play(&mv).expect("played");
    }
    assert_eq!(
        position(&RUSSIAN, &line),
        format!("{only} moves=\"1-5 4-8\"")
    );
    let mv = parse_move(&RUSSIAN, line.game().position(), "32-28").expect("a move");
    line.play(&mv).expect("played");
    let now = write_position(&RUSSIAN, line.game().position());
    assert_eq!(position(&RUSSIAN, &line), format!("pos pos={now}"));
}

#[test]
fn levels_and_arguments() {
    let time = HubLevel::MoveTime(Duration::from_millis(250));
    assert_eq!(time.to_string(), "level move-time=0.25");
    assert_eq!(HubLevel::Nodes(5_000).to_string(), "level nodes=5000");
    let line = "done move=\"32-28\" ponder=19-23";
    assert_eq!(argument(line, "move"), Some("32-28"));
    assert_eq!(argument(line, "ponder"), Some("19-23"));
    assert_eq!(argument("done", "move"), None);
    let mut program = HubProgram::new("x", time);
    program.parameters = vec![("book".into(), "a \"b\"".into())];
    assert!(matches!(program.settings(), Err(PlayerError::Text { .. })));
    program.parameters = vec![("bb-size".into(), "0".into())];
    let settings = program.settings().expect("lines");
    assert_eq!(settings, ["set-param name=\"bb-size\" value=\"0\""]);
}

#[test]
fn a_missing_program_is_an_error() {
    let program = HubProgram::new("/no/such/program", HubLevel::Depth(1));
    let error = HubPlayer::start(&RUSSIAN, &program).expect_err("an error");
    assert!(
        error
            .to_string()
            .starts_with("/no/such/program cannot be started")
    );
}

/// A program in the language of the shell.
#[cfg(unix)]
fn script(text: &str) -> HubProgram {
    HubProgram {
        arguments: vec!["-c".into(), text.into()],
        start_limit: Duration::from_secs(20),
        move_limit: Duration::from_millis(300),
        ..HubProgram::new("/bin/sh", HubLevel::Depth(1))
    }
}

#[cfg(unix)]
const READY: &str = "read hub; echo id name=x; echo wait; read init; echo ready; read new; \
                     read pos; read level; read go;";

#[cfg(unix)]
fn first_move(text: &str) -> Result<Move<u64>, PlayerError> {
    let mut player = HubPlayer::start(&INTERNATIONAL, &script(text))?;
    let start = Position::<u64>::start(&INTERNATIONAL);
    let game = Game::new(INTERNATIONAL, official::of(&INTERNATIONAL), start);
    Player::<u64>::new_game(&mut player)?;
    player.choose(&Line::new(game))
}

#[cfg(unix)]
#[test]
fn answers_are_understood_or_refused() {
    let answered = |text: &str| first_move(&format!("{READY} {text}; read quit"));
    let mv = answered("echo info depth=1; echo done move=32-28").expect("a move");
    assert_eq!(write_move(&INTERNATIONAL, &mv), "32-28");
    for text in ["echo done move=32-22", "echo done move=x", "echo done"] {
        let error = answered(text).expect_err("refused");
        assert!(matches!(error, PlayerError::Move { .. }), "{error}");
    }
    let error = answered("echo 'error message=\"no such position\"'").expect_err("refused");
    assert!(error.to_string().contains("no such position"), "{error}");
}

#[cfg(unix)]
#[test]
fn programs_that_end_or_sleep_are_noticed() {
    let late = first_move(&format!("{READY} exec sleep 60")).expect_err("too late");
    assert!(
        matches!(
            late,
            PlayerError::Timeout {
                waiting: "done",
                ..
            }
        ),
        "{late}"
    );
    let ended = first_move(&format!("{READY} exit")).expect_err("ended");
    let gone = matches!(
        ended,
        PlayerError::Ended {
            waiting: "done",
            ..
        }
    );
    assert!(gone, "{ended}");
    let never = first_move("read hub; exit").expect_err("ended");
    assert!(
        matches!(
            never,
            PlayerError::Ended {
                waiting: "wait",
                ..
            }
        ),
        "{never}"
    );
    let wrong =
        first_move("read hub; echo wait; read init; echo error; read x").expect_err("wrong");
    assert!(matches!(wrong, PlayerError::Answer { .. }), "{wrong}");
}
