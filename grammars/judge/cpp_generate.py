"""Random C++ programs in which every name is declared and every type fits.

Style varies from program to program: blanks, line breaks, braces, spellings of
operators, kinds of loops, so that a grammar meets the same constructs in many
garbs.
"""

import random

HEADERS = ["vector", "string", "iostream", "algorithm"]


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        pick = self.rng.choice
        self.tab = pick(["    ", "  ", "\t"])
        self.blank = pick([" ", " ", ""])
        self.and_, self.or_, self.not_ = pick([("&&", "||", "!")] * 2 + [("and", "or", "not ")])
        self.brace_below = pick([True, False, False])
        self.std = pick(["", "", "std::"])
        self.names = 0

    def name(self, stem):
        self.names += 1
        words = {
            "int": ["n", "count", "i_", "total", "lo", "x1"],
            "bool": ["ok", "seen", "done"],
            "string": ["s", "text", "word_"],
            "vector": ["v", "items", "A"],
            "function": ["solve", "f", "compute", "helper"],
        }
        return self.rng.choice(words[stem]) + str(self.names)

    def spaced(self, operator):
        if operator[0].isalpha():
            return f" {operator} "
        return f"{self.blank}{operator}{self.blank}"

    def type(self, kind):
        spelled = {"vector": f"{self.std}vector<int>", "string": f"{self.std}string"}
        return spelled.get(kind, kind)

    def variable(self, scope, kind):
        known = [name for name, of in scope if of == kind]
        return self.rng.choice(known) if known else None

    def integer(self, scope, depth=2):
        pick = self.rng.choice
        known = self.variable(scope, "int")
        if depth == 0 or self.rng.random() < 0.2:
            return known or pick(["0", "1", "42", "0x1F", "0b101", "1'000", "7u", "10L", "'a'", "017"])
        deeper = lambda: self.integer(scope, depth - 1)
        kind = self.rng.randrange(9)
        items, text = self.variable(scope, "vector"), self.variable(scope, "string")
        if kind == 0 and items:
            return f"{items}[{deeper()}]"
        if kind == 1 and items:
            return f"(int){items}.size()"
        if kind == 2 and text:
            return f"static_cast<int>({text}.length())"
        if kind == 3:
            return f"({self.truth(scope, depth - 1)} ? {deeper()} : {deeper()})"
        if kind == 4:
            return f"{pick(['-', '~', '+'])}({deeper()})"
        if kind == 5:
            return f"{self.std}{pick(['min', 'max'])}<int>({deeper()}, {deeper()})"
        if kind == 6 and known:
            return pick([f"{known}++", f"--{known}", f"({known}{self.spaced('+=')}{deeper()})"])
        operator = pick(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])
        return f"({deeper()}{self.spaced(operator)}{deeper()})"

    def truth(self, scope, depth=2):
        pick = self.rng.choice
        known = self.variable(scope, "bool")
        if depth == 0:
            return known or pick(["true", "false"])
        kind = self.rng.randrange(4)
        if kind == 0:
            return f"{self.not_}({self.truth(scope, depth - 1)})"
        if kind == 1:
            operator = pick([self.and_, self.or_])
            return f"{self.truth(scope, depth - 1)} {operator} {self.truth(scope, depth - 1)}"
        operator = pick(["<", ">", "<=", ">=", "==", "!="])
        return f"({self.integer(scope, depth - 1)}{self.spaced(operator)}{self.integer(scope, depth - 1)})"

    def text(self, scope):
        known = self.variable(scope, "string")
        return self.rng.choice(
            [known or '"start"', '"a\\tb\\n"', '"\\"quoted\\""', 'R"(raw \\n)"', '"one" "two"', '"\\x41é"']
        )

    def items(self, scope):
        known = self.variable(scope, "vector")
        values = ", ".join(self.integer(scope, 1) for _ in range(self.rng.randrange(4)))
        made = [f"{self.type('vector')}({self.integer([], 0)}, 1)", f"{self.type('vector')}{{{values}}}"]
        return self.rng.choice(made + [known] * bool(known))

    def value(self, kind, scope):
        made = {"int": self.integer, "bool": self.truth, "string": self.text, "vector": self.items}
        return made[kind](scope)

    def block(self, head, lines):
        inner = [self.tab + line for line in lines]
        if self.brace_below:
            return [head, "{"] + inner + ["}"]
        return [f"{head}{self.rng.choice(['', ' '])}{{"] + inner + ["}"]

    def statement(self, scope, depth, in_loop):
        pick = self.rng.choice
        kinds = ["declare", "assign", "print", "push"]
        if depth > 0:
            kinds += ["if", "for", "range", "while", "do", "switch", "lambda", "block"]
        if in_loop:
            kinds += ["jump"]
        kind = pick(kinds)
        if kind == "declare":
            of = pick(["int", "int", "bool", "string", "vector"])
            name, value = self.name(of), self.value(of, scope)
            scope.append((name, of))
            spelled = pick(["", "", "const "]) if of != "int" and of != "vector" else ""
            return [f"{spelled}{self.type(of)} {name}{self.spaced('=')}{value};"]
        if kind == "assign":
            name = self.variable(scope, "int")
            if name:
                operator = pick(["=", "+=", "-=", "*=", "%=", "<<=", ">>=", "&=", "|=", "^="])
                return [f"{name}{self.spaced(operator)}{self.integer(scope)};"]
        if kind == "push":
            name = self.variable(scope, "vector")
            if name:
                return [f"{name}.push_back({self.integer(scope)});"]
        if kind == "if":
            lines = self.block(f"if ({self.truth(scope)})", self.body(scope, depth - 1, in_loop))
            while self.rng.random() < 0.3:
                lines += self.block(f"else if({self.truth(scope)})", self.body(scope, depth - 1, in_loop))
            if self.rng.random() < 0.5:
                lines += self.block("else", self.body(scope, depth - 1, in_loop))
            return lines
        if kind == "for":
            name = self.name("int")
            step = pick([f"{name}++", f"++{name}", f"{name}{self.spaced('+=')}2"])
            head = f"for (int {name}={self.integer(scope, 0)}; {name}{self.spaced('<')}{self.integer(scope, 1)}; {step})"
            return self.block(head, self.body(scope + [(name, "int")], depth - 1, True))
        if kind == "range" and self.variable(scope, "vector"):
            name = self.name("int")
            head = f"for ({pick(['int', 'auto', 'const int&', 'auto&&'])} {name}{pick([' : ', ':'])}{self.variable(scope, 'vector')})"
            return self.block(head, self.body([entry for entry in scope if entry[1] != "int"], depth - 1, True))
        if kind == "while":
            return self.block(f"while({self.truth(scope)})", self.body(scope, depth - 1, True) + ["break;"])
        if kind == "do":
            lines = self.block("do", self.body(scope, depth - 1, True))
            return lines[:-1] + [f"{lines[-1]} while ({self.truth(scope)});"]
        if kind == "switch":
            lines = []
            for case in range(self.rng.randrange(1, 4)):
                lines += self.block(f"case {case}:", self.body(scope, depth - 1, in_loop)) + ["break;"]
            return self.block(f"switch ({self.integer(scope, 1)})", lines + ["default:;"])
        if kind == "lambda":
            head = f"auto {self.name('function')} = [{pick(['&', '=', ''])}](int a, int b){pick(['', ' -> int', ' mutable'])}"
            lines = self.block(head, ["return a*b;"])
            return lines[:-1] + ["};"]
        if kind == "block":
            return self.block("", self.body(scope, depth - 1, in_loop))
        if kind == "jump":
            return [f"if ({self.truth(scope, 1)}) {pick(['break', 'continue'])};"]
        ends = pick([f"{self.std}endl", "'\\n'", '"\\n"'])
        of = pick(["int", "bool", "string"])
        return [f"{self.std}cout << ({self.value(of, scope)}) << {ends};"]

    def body(self, scope, depth, in_loop):
        scope = list(scope)
        lines = []
        for _ in range(self.rng.randrange(1, 4)):
            lines += self.statement(scope, depth, in_loop)
        return lines

    def function(self, name):
        parameters = []
        for _ in range(self.rng.randrange(4)):
            of = self.rng.choice(["int", "bool", "string", "vector"])
            parameters.append((self.name(of), of))
        comma = self.rng.choice([",", ", "])
        listed = comma.join(f"{self.type(of)} {name}" for name, of in parameters)
        of = self.rng.choice(["int", "bool", "string", "vector"])
        lines = self.body(parameters, 2, False) + [f"return {self.value(of, parameters)};"]
        return self.block(f"{self.type(of)} {name}({listed})", lines)

    def whole(self):
        lines = [f"#include{self.blank}<{header}>" for header in HEADERS]
        if not self.std:
            lines += ["using namespace std;"]
        for _ in range(self.rng.randrange(1, 3)):
            lines += self.function(self.name("function"))
        if self.rng.random() < 0.5:
            lines += self.block("int main()", self.body([], 2, False) + ["return 0;"])
        return "\n".join(lines) + "\n"


def program(seed):
    return Program(seed).whole()


if __name__ == "__main__":
    print(program(random.randrange(1 << 30)))
