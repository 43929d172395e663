import type { RegexCompiler } from './operators.ts';

/** The cost of a search per character grows with the steps of the compiled pattern. */
const MAX_PATTERN_STEPS = 500;

/** What is used of RE2JS; passed in, because code for browsers must not contain it. */
interface RegexLibrary {
  readonly CASE_INSENSITIVE: number;
  compile(pattern: string, flags: number): { programSize(): number; test(text: string): boolean };
}

/** The `matches` operator: searches the text in linear time, whatever the pattern. */
export function ruleRegex(library: RegexLibrary): RegexCompiler {
  return (pattern, caseInsensitive) => {
    const compiled = library.compile(pattern, caseInsensitive ? library.CASE_INSENSITIVE : 0);
    const steps = compiled.programSize();
    if (steps > MAX_PATTERN_STEPS) {
      throw new Error(`it takes ${steps} steps, at most ${MAX_PATTERN_STEPS} are allowed`);
    }
    return (text) => compiled.test(text);
  };
}
