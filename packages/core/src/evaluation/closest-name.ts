const MAX_DISTANCE = 2;
/** Comparing takes time for every known name. */
const MAX_COMPARED = 1000;

/** The known name that a misspelled one most likely stands for. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  return known
    .slice(0, MAX_COMPARED)
    .find((candidate) => distance(candidate.toLowerCase(), wanted) <= MAX_DISTANCE);
}

/** ` "signnup"; did you mean "signup"?`, the end of a sentence about something that does not exist. */
export function unknownName(name: string, known: readonly string[]): string {
  const closest = closestName(name, known);
  return ` "${name}"${closest === undefined ? '.' : `; did you mean "${closest}"?`}`;
}

/** Edit distance (Levenshtein), one row at a time. */
function distance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > MAX_DISTANCE) return MAX_DISTANCE + 1;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replace = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
