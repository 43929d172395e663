// The ratios in README.md, as the last figures that were accepted.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const README = fileURLToPath(new URL('../README.md', import.meta.url));
/** By how much a ratio may be below the recorded one: the rounds of one run differ by some percent. */
const TOLERANCE = 0.1;

const cellsOf = (line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The ratio of each case in the table after "`npm run bench` on arm64": ratios depend on the processor. */
function recordedRatios(text) {
  const title = text.indexOf(`\n\`npm run bench\` on ${process.arch}`);
  if (title < 0) return new Map();
  const lines = text.slice(title).split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  const [header, , ...rows] = lines.slice(start, end).map(cellsOf);
  const column = header.indexOf('ratio');
  return new Map(rows.map((cells) => [cells[0], Number(cells[column])]));
}

/** Describes every case whose ratio is too far below the recorded one or, without one, below its target. */
export function findRegressions(results) {
  const recorded = recordedRatios(readFileSync(README, 'utf8'));
  return results.flatMap(({ name, ratio, target }) => {
    const expected = recorded.get(name) ?? target;
    if (!(expected > 0)) return [`${name}: README.md has no ratio for ${process.arch}`];
    const min = expected * (1 - TOLERANCE);
    if (ratio >= min) return [];
    const source = recorded.has(name) ? 'README.md says' : 'its target is';
    return [`${name}: ratio ${ratio.toFixed(3)}, ${source} ${expected}, at least ${min.toFixed(3)}`];
  });
}
