use super::*;
use crate::variant::{CANADIAN, ENGLISH, INTERNATIONAL, RUSSIAN, SPANISH};

fn rewrite(rules: &RuleSet, text: &str) -> String {
    match parse::<u32>(rules, text) {
        Ok(position) => write(rules, &position),
        Err(error) => panic!("{text}: {error}"),
    }
}

#[test]
fn counts_are_read_and_written() {
    fn read(text: &str) -> Result<Counts, FenError> {
        parse_counted::<u32>(&RUSSIAN, text).map(|(_, counts)| counts)
    }
    let counts = |halfmoves, move_number| {
        Ok(Counts {
            halfmoves,
            move_number,
        })
    };
    assert_eq!(read("W:WK1:BK32"), counts(None, None));
    assert_eq!(read("W:WK1:BK32:H5:F12"), counts(Some(5), Some(12)));
    assert_eq!(read("W:WK1:BK32 : F3 : X9 :H0."), counts(Some(0), Some(3)));
    for text in ["H", "H-1", "H65536", "H1:H1", "F1+", "F4294967296", "Hx"] {
        let field = format!("W:WK1:BK32:{text}");
        let error = read(&field).expect_err(text);
        assert!(matches!(error, FenError::Count { .. }), "{text}: {error}");
    }
    let (position, counts) = parse_counted::<u32>(&RUSSIAN, "B:WK1:BK32:F7:H2").expect("fine");
    let text = write_counted(&RUSSIAN, &position, counts);
    assert_eq!(text, "B:WK1:BK32:H2:F7");
    // Who does not ask for counts is not troubled by them.
    assert!(parse::<u32>(&RUSSIAN, "W:WK1:BK32:Hx").is_ok());
}

fn refuse(text: &str) -> String {
    parse::<u32>(&RUSSIAN, text)
        .expect_err("not a FEN")
        .to_string()
}

#[test]
fn start_positions_by_ranges() {
    let start = |rules| Position::<u32>::start(rules);
    assert_eq!(
        parse(&ENGLISH, "B:W21-32:B1-12"),
        Ok(start(&ENGLISH)),
        "English"
    );
    assert_eq!(
        parse(&INTERNATIONAL, "W:W31-50:B1-20"),
        Ok(Position::<u64>::start(&INTERNATIONAL))
    );
    assert_eq!(
        parse(&CANADIAN, "W:W43-72:B1-30"),
        Ok(Position::<u128>::start(&CANADIAN))
    );
    // Spanish numbers of PDN count from White's right hand.
    assert_eq!(
        parse_named(&SPANISH, Naming::Pdn, "W:W1-12:B21-32"),
        Ok(start(&SPANISH))
    );
}

#[test]
fn liberal_forms_and_what_they_are_written_as() {
    for (text, strict) in [
        ("W:W31,K5:B1-3,K32", "W:WK5,31:B1,2,3,K32"),
        (" w : b K4 , 1 : w 18 . ", "W:W18:B1,K4"),
        ("B:B12:WK1-3.", "B:WK1,K2,K3:B12"),
        ("W:W:BK3", "W:W:BK3"),
        ("W:WK3", "W:WK3:B"),
        ("B:B", "B:W:B"),
        ("W:W018:B05", "W:W18:B5"),
        ("W:Wa1,Kb2:Bh8", "W:WK25,29:B4"),
        ("W:Wa1:bb4,b8", "W:W29:B1,17"),
        ("W:wa1,kb2:b1,b4", "W:WK25,29:B1,17"),
        ("W:W18:B23:H0:F1", "W:W18:B23"),
        ("W:W18:B23:H12:F30:+0+2", "W:W18:B23"),
        ("W:W5-5:B6", "W:W5:B6"),
    ] {
        assert_eq!(rewrite(&RUSSIAN, text), strict, "{text}");
    }
}

#[test]
fn algebraic_writing() {
    let position = parse::<u32>(&RUSSIAN, "W:W29,32,K9:B4").expect("a FEN");
    assert_eq!(
        write_named(&RUSSIAN, Naming::Pdn, &position),
        "W:Wa1,Kb6,g1:Bh8"
    );
}

fn refuse_all(errors: &[(&str, &str)]) {
    for (text, error) in errors {
        assert_eq!(refuse(text), *error, "{text}");
    }
}

#[test]
fn the_side_to_move_and_the_colours_are_asked_for() {
    refuse_all(&[
        (
            "",
            "expected the side to move, W or B, at byte 0, found the end of the text: write e.g. W:W31-50:B1-20",
        ),
        (
            ":W18:B23",
            "expected the side to move, W or B, at byte 0, found ':': write e.g. W:W31-50:B1-20",
        ),
        (
            "?:W18:B23",
            "expected the side to move, W or B, at byte 0, found '?': write e.g. W:W31-50:B1-20",
        ),
        (
            "W",
            "expected a colour with its squares, :W or :B, at byte 1, found the end of the text",
        ),
        (
            "W:18:B23",
            "expected a colour with its squares, :W or :B, at byte 2, found '1'",
        ),
    ]);
}

#[test]
fn what_is_listed_twice_is_named() {
    refuse_all(&[
        (
            "W:W18:B23:W5",
            "White is listed a second time at byte 10: put all its squares in one list",
        ),
        (
            "W:W18:B23,18",
            "square 18 is listed a second time at byte 10: a square holds one piece",
        ),
        (
            "W:W18-20:B12,K19",
            "square 19 is listed a second time at byte 13: a square holds one piece",
        ),
    ]);
}

#[test]
fn squares_that_cannot_be_are_named() {
    refuse_all(&[
        (
            "W:W33:B23",
            "at byte 3: there is no square 33 on this board: its squares run from 1 to 32",
        ),
        (
            "W:W0:B23",
            "at byte 3: there is no square 0 on this board: its squares run from 1 to 32",
        ),
        (
            "W:Wa2:B23",
            "at byte 3: a2 is not a playing square on this board: check its column and its row",
        ),
        (
            "W:W2:B23",
            "a white man on 2, its own promotion row, at byte 3: write K2 if it is a king",
        ),
        (
            "W:W18:B23,27-32",
            "a black man on 29, its own promotion row, at byte 10: write K29 if it is a king",
        ),
        (
            "W:W20-18:B1",
            "the range 20-18 at byte 3 runs backwards: write the smaller number first",
        ),
        (
            "W:Wa1-c1:B1",
            "the range at byte 3 is not between two numbers: list its squares one by one, e.g. a1,c1",
        ),
    ]);
}

#[test]
fn stray_characters_are_named_with_their_place() {
    refuse_all(&[
        (
            "W:W18,:B23",
            "at byte 6: expected a square such as 32, found ':'",
        ),
        (
            "W:W18 B23",
            "unexpected 'B' at byte 6: expected a comma, a colon or the end",
        ),
        (
            "W:W18:B23é",
            "unexpected 'é' at byte 9: expected a comma, a colon or the end",
        ),
        (
            "W:W18:B23..",
            "unexpected '.' at byte 10: expected a comma, a colon or the end",
        ),
        (
            "W:W18:H0",
            "unexpected 'H' at byte 6: expected W or B and its squares",
        ),
        (
            "W:W18:B23:K5",
            "unexpected 'K' at byte 10: expected W or B and its squares",
        ),
        (
            "W:W18:B23,G12",
            "G at byte 10 marks a captured piece that is not lifted yet: finish the capture and give the position after it",
        ),
    ]);
}

#[test]
fn a_board_of_another_size_is_refused() {
    let error = parse::<u64>(&RUSSIAN, "W:W18:B23").expect_err("10x10");
    assert_eq!(
        error.to_string(),
        "russian draughts is played on 32 squares, but a board of 50 was asked for: use the board type of the variant"
    );
}
