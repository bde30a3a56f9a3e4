"""Judges chess.gbnf by python-chess, which reads each move and plays it where it can.

A text is a list of moves by the judge if its parts are move numbers, moves that
python-chess can read, and a result at the end. Games that python-chess made, or
found legal from the first move to the last, must all belong.

Needs: pip install chess
"""

import random
import re

import chess

import judging


def reads(move):
    """Whether python-chess can read the move; the board does not matter."""
    try:
        chess.Board().parse_san(move)
    except chess.InvalidMoveError:
        return False
    except ValueError:
        return True
    return True


def split(text):
    """The moves of a text, or None if it is no list of moves."""
    text, spaces, result = re.match(r"(.*?)( ?)(1-0|0-1|1/2-1/2|\*|)$", text, re.S).groups()
    if bool(spaces) != bool(result):
        return None
    moves = []
    for turn in re.split(r"(?:^| )[1-9]\d{0,2}\. ", text)[1:]:
        if moves and len(moves) % 2:
            return None
        found = turn.split(" ")
        if len(found) > 2 or "" in found:
            return None
        moves += found
    whole = re.fullmatch(r"([1-9]\d{0,2}\. [^ ]+( [^ ]+)?( |$))+", text)
    return moves if whole and moves and not text.endswith(" ") else None


def verdict(text):
    moves = split(text)
    return moves is not None and all(map(reads, moves))


def legal(text):
    """Whether the text is a game that can be played from the first position."""
    moves = split(text)
    if moves is None:
        return False
    board = chess.Board()
    for move in moves:
        try:
            played = board.parse_san(move)
        except ValueError:
            return False
        if board.san(played) != move:
            return False
        board.push(played)
    return True


def classify(text, judge):
    """Spellings that python-chess takes leniently; and what no game has."""
    if not judge:
        return None
    if legal(text):
        return "another result after mate" if re.search("# .*[0*]", text) else None
    for at, move in enumerate(split(text)):
        last_rank, forward = ("8", "[3-8]") if at % 2 == 0 else ("1", "[1-6]")
        bare = re.sub("(=?[QRBNK])?[+#]*$", "", move)
        rules = [
            ("^0-0", "castling with zeros"),
            ("^--|^Z0|^@@", "a null move"),
            ("[-].*[a-h]|^P|^[a-h][1-8]x?[a-h]", "long algebraic notation"),
            ("[qrbnk][+#]*$|[a-h][1-8][QRBNK]", "a promotion spelt another way"),
            ("^[1-8]|^x", "a pawn told by its rank, or not told"),
            ("=K", "a promotion to a king"),
            ("^K[a-h1-8]+x?[a-h]", "a king told from another king"),
            ("[+#]{2}$", "check twice"),
            ("^[KQRBN].*=|^O.*=", "a promotion of a piece"),
        ]
        for pattern, reason in rules:
            if re.search(pattern, move):
                return reason
        if re.fullmatch("([a-h]x?)?[a-h][1-8]", bare):
            if not re.fullmatch(forward, bare[-1]):
                return "a pawn that moves backwards or onto its first ranks"
            if (bare[-1] == last_rank) != ("=" in move):
                return "a pawn that does not become a piece on the last rank, or does before"
            if len(bare) > 2 and ("x" not in bare or abs(ord(bare[0]) - ord(bare[-2])) != 1):
                return "a pawn's capture that is none"
    if "#" in text:
        return "moves after mate"
    return None


def game(rng):
    board, words = chess.Board(), []
    for at in range(rng.choice([1, 2, 4, 7, 12, 12, 30])):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            break
        move = rng.choice(moves)
        if at % 2 == 0:
            words.append(f"{at // 2 + 1}.")
        words.append(board.san(move))
        board.push(move)
    over = board.is_checkmate()
    words += rng.choice([[], [board.result()] if over else [rng.choice(["1-0", "0-1", "*"])]])
    return " ".join(words)


def texts():
    rng = random.Random(1)
    found = judging.shipped("chess")
    found += [game(rng) for _ in range(150)]
    pieces = list("abcdefgh12345678KQRBNx+#=-O ") + ["O-O", " e4", "=Q", "x", "1-0"]
    return judging.with_mutants(found, pieces, 1200)


judging.judge("chess.gbnf", texts(), verdict, classify)
