/** A text that is JSON, token by token, with the JSON pointers of its values. */

/** A token: where it stands, and the value that it begins, is, or ends; a key's is its value. */
export interface JsonToken {
  readonly kind: "open" | "close" | "key" | "scalar" | "comma" | "colon";
  readonly text: string;
  /** Offsets into the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly pointer: string;
}

/** An object or a list that is not yet closed. */
interface Around {
  readonly pointer: string;
  readonly isList: boolean;
  /** The item that comes or is there: its number, or its key as a segment of pointers. */
  at: number;
  key: string | undefined;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** The tokens of a text that a parser of JSON has taken. */
export function* jsonTokens(text: string): Generator<JsonToken> {
  const open: Around[] = [];
  const pointer = (): string => {
    const around = open.at(-1);
    return around ? `${around.pointer}/${around.isList ? around.at : around.key}` : "";
  };
  for (const match of text.matchAll(TOKEN)) {
    const token = { text: match[0], start: match.index, end: match.index + match[0].length };
    const around = open.at(-1);
    switch (token.text) {
      case "{":
      case "[": {
        const own = pointer();
        yield { kind: "open", ...token, pointer: own };
        open.push({ pointer: own, isList: token.text === "[", at: 0, key: undefined });
        break;
      }
      case "}":
      case "]":
        open.pop();
        yield { kind: "close", ...token, pointer: around?.pointer ?? "" };
        break;
      case ",":
        if (around) {
          around.at++;
          around.key = undefined;
        }
        yield { kind: "comma", ...token, pointer: around?.pointer ?? "" };
        break;
      case ":":
        yield { kind: "colon", ...token, pointer: pointer() };
        break;
      default: {
        const isKey = around !== undefined && !around.isList && around.key === undefined;
        if (isKey) around.key = escapeSegment(JSON.parse(token.text) as string);
        yield { kind: isKey ? "key" : "scalar", ...token, pointer: pointer() };
      }
    }
  }
}

const escapeSegment = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
