"""The cost of code for its reader: tokens, because lines can be packed and comments help."""

import tokenize

LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
          tokenize.ENDMARKER}  # fmt: skip
# From Python 3.12 on an f-string is several tokens; here it is one, as before
OPENS, CLOSES = getattr(tokenize, "FSTRING_START", None), getattr(tokenize, "FSTRING_END", None)


def tokens(paths):
    return sum(len([*tokens_of(path)]) for path in paths)


def tokens_of(path):
    """The tokens of a file, without those of layout, comments and strings that stand alone, such as docstrings."""
    with tokenize.open(path) as file:
        statement, depth = [], 0
        for token in tokenize.generate_tokens(file.readline):
            depth += token.type == OPENS
            if token.type not in LAYOUT and (depth == 0 or token.type == OPENS and depth == 1):
                statement.append(token)
            depth -= token.type == CLOSES
            if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
                yield from [] if [each.type for each in statement] == [tokenize.STRING] else statement
                statement = []
