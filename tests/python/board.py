"""Russian draughts positions of a data set, read without any help of Makhos: squares are bits, square 1 is bit 0."""

SQUARES = 32
SETS = ("wm", "bm", "wk", "bk")


def squares(bits):
    """The numbers of the squares of a set, from 1."""
    return [square + 1 for square in range(SQUARES) if bits >> square & 1]


def fen(row):
    """The FEN of a row."""
    sides = []
    for color in "wb":
        men = [str(square) for square in squares(row[color + "m"])]
        kings = ["K" + str(square) for square in squares(row[color + "k"])]
        sides.append(color.upper() + ",".join(men + kings))
    return "WB"[row["stm"]] + ":" + ":".join(sides)


def pieces(row):
    """How many pieces are on the board."""
    return sum(bin(row[name]).count("1") for name in SETS)


def turned(bits):
    """The set as the other side sees it."""
    return int(format(bits, "032b")[::-1], 2)


def inputs(row):
    """The inputs of the network: own men, own kings, men and kings of the other side, as the mover sees them."""
    sets = [row["wm"], row["wk"], row["bm"], row["bk"]]
    if row["stm"] == 1:
        sets = [turned(bits) for bits in (row["bm"], row["bk"], row["wm"], row["wk"])]
    values = [0.0] * (4 * SQUARES)
    for kind, bits in enumerate(sets):
        for square in squares(bits):
            values[kind * SQUARES + square - 1] = 1.0
    return values
