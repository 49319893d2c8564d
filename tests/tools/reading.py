"""The cost of code for its reader: tokens, because lines can be packed and comments help; lines of script functions."""

import re
import tokenize

LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
          tokenize.ENDMARKER}  # fmt: skip
# From Python 3.12 on an f-string is several tokens; here it is one, as before
OPENS, CLOSES = getattr(tokenize, "FSTRING_START", None), getattr(tokenize, "FSTRING_END", None)


def tokens(paths):
    """The number of tokens in these files."""
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


# Braces that open and close nothing: in comments, texts, patterns, and templates outside their places
TEXTS = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
    r"|(?<=[(,=:\[!&|?{};])\s*/(?:\\.|\[[^\]]*\]|[^/\\\n])+/", re.DOTALL)  # fmt: skip
TEMPLATE = re.compile(r"(?:\\.|[^`\\$]|\$(?!\{))*(`|\$\{)", re.DOTALL)


def opens_function(head):
    """Whether a block after this text is a function's: after an arrow, or parameters that no statement takes."""
    head = head.rstrip()
    if not head.endswith(")"):
        return head.endswith("=>")
    depth, place = 0, len(head)
    while place == len(head) or depth:
        place -= 1
        depth += {")": 1, "(": -1}.get(head[place], 0)
    return re.search(r"(\w*)\s*$", head[:place])[1] not in ("if", "for", "while", "switch", "catch", "await")


def functions(script):
    """``{where a function of a JavaScript text begins: how many lines its body has}``, of all that have a block."""
    found, open_blocks, place = {}, [], 0
    while place < len(script):
        if text := TEXTS.match(script, place):
            place = text.end()
        elif script[place] == "`" or script[place] == "}" and open_blocks and open_blocks[-1] == "template":
            if script[place] == "}":
                open_blocks.pop()
            text = TEMPLATE.match(script, place + 1)
            open_blocks += ["template"] if text[1] == "${" else []
            place = text.end()
        else:
            if script[place] == "{":
                open_blocks.append(place)
            elif script[place] == "}":
                begin = open_blocks.pop()
                if opens_function(script[:begin]):
                    line = script.count("\n", 0, begin) + 1
                    found[line, script[:begin].rpartition("\n")[2].strip()] = script.count("\n", begin, place) + 1
            place += 1
    return found
