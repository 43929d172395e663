/**
 * A pattern of RE2, which servers use, as one that means the same in RE2 and in a JavaScript expression with the flag
 * `u`, which pages use. `undefined` if there is none that this function knows, or if the search could take forever:
 * browsers try the ways to repeat something that is repeated or chosen one by one.
 *
 * @example pagePattern('\\Ashop\\.') // '^shop\\.'
 */
export function pagePattern(pattern: string): string | undefined {
  const reader = new PatternReader(pattern);
  try {
    const translated = reader.read();
    new RegExp(translated, 'u');
    return translated;
  } catch {
    return undefined;
  }
}

const SPACES = '\\t\\n\\f\\r ';
/** The same in both, within and outside of a class. */
const SHARED_ESCAPES = /^[dDwWtnfrv]$/;
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;

class PatternReader {
  readonly #pattern: string;
  #at = 0;
  /** For each open group, and the whole pattern: whether it contains a repetition or a choice. */
  readonly #isAmbiguous = [false];

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): string {
    let translated = '';
    while (this.#at < this.#pattern.length) translated += this.#element();
    return translated;
  }

  #element(): string {
    const character = this.#next();
    switch (character) {
      case '\\':
        return this.#escape();
      case '[':
        return this.#class();
      case '(':
        this.#isAmbiguous.push(false);
        return this.#group();
      case ')':
        return this.#endOfGroup();
      case '*':
      case '+':
      case '|':
        this.#isAmbiguous[this.#isAmbiguous.length - 1] = true;
        return character;
      case '.':
        return '[^\\n]';
      case '{':
        // Anything else than a number of repetitions is a literal.
        return this.#repetitions() ?? '\\{';
      case '}':
      case ']':
        return `\\${character}`;
      default:
        return character;
    }
  }

  #repetitions(): string | undefined {
    return this.#take(/\d+(?:,\d*)?\}/y, (counts) => {
      this.#isAmbiguous[this.#isAmbiguous.length - 1] = true;
      return `{${counts}`;
    });
  }

  #endOfGroup(): string {
    const isAmbiguous = this.#isAmbiguous.pop();
    if (isAmbiguous && /^(?:[*+]|\{\d)/.test(this.#pattern.slice(this.#at))) throw new Error('too slow');
    if (isAmbiguous) this.#isAmbiguous[this.#isAmbiguous.length - 1] = true;
    return ')';
  }

  #group(): string {
    if (this.#take(/\?(?:P?<\w+>|:)/y, () => '') !== undefined) return '(?:';
    // Flags such as (?i).
    if (this.#pattern[this.#at] === '?') throw new Error('unknown group');
    return '(?:';
  }

  #escape(): string {
    if (this.#take(/A/y, () => '') !== undefined) return '^';
    if (this.#take(/z/y, () => '') !== undefined) return '$';
    const boundary = this.#take(/[bB]/y, (letter) => `\\${letter}`);
    if (boundary !== undefined) return boundary;
    if (this.#take(/s/y, () => '') !== undefined) return `[${SPACES}]`;
    if (this.#take(/S/y, () => '') !== undefined) return `[^${SPACES}]`;
    return this.#sharedEscape(false);
  }

  /** What may also be within a class. */
  #sharedEscape(isInClass: boolean): string {
    const category = this.#take(/[pP](?:([A-Z])|\{([A-Z][a-z]?)\})/y, (text) => {
      return `\\${text[0]}{${text.slice(1).replace(/[{}]/g, '')}}`;
    });
    if (category !== undefined) return category;
    const code = this.#take(/x(?:[\da-fA-F]{2}|\{[\da-fA-F]{1,6}\})/y, (text) =>
      literal(String.fromCodePoint(Number.parseInt(text.replace(/[x{}]/g, ''), 16)), isInClass),
    );
    if (code !== undefined) return code;
    const character = this.#next();
    if (SHARED_ESCAPES.test(character)) return `\\${character}`;
    // RE2 allows to escape every ASCII character that is neither a letter nor a digit.
    if (/^[a-zA-Z\d]$/.test(character) || character > '\u007f') throw new Error('unknown escape');
    return literal(character, isInClass);
  }

  #class(): string {
    let translated = this.#take(/\^/y, (text) => `[${text}`) ?? '[';
    // The first bracket of a class is a literal.
    translated += this.#take(/\]/y, () => '\\]') ?? '';
    // After a class such as \w, a hyphen is no range: JavaScript wants that to be said.
    let isAfterClass = false;
    for (;;) {
      const character = this.#next();
      if (character === ']') return `${translated}]`;
      if (character === '[' && this.#pattern[this.#at] === ':') throw new Error('unknown class');
      let element = character === '-' && isAfterClass ? '\\-' : character;
      isAfterClass = false;
      if (character === '\\') {
        isAfterClass = /^[dDwWspP]$/.test(this.#pattern[this.#at] ?? '');
        element = this.#take(/s/y, () => SPACES) ?? this.#sharedEscape(true);
      }
      translated += element;
    }
  }

  #next(): string {
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) throw new Error('unexpected end');
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  #take(expected: RegExp, translate: (text: string) => string): string | undefined {
    expected.lastIndex = this.#at;
    const found = expected.exec(this.#pattern)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return translate(found);
  }
}

/** A character that stands for itself. */
const literal = (character: string, isInClass: boolean) =>
  SYNTAX.test(character) || (isInClass && character === '-') ? `\\${character}` : character;
