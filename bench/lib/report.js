import { quantile } from './measures.js';

/** Formats rows as an aligned Markdown table. */
export function table(header, rows) {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

export const whole = (number) => Math.round(number).toLocaleString('en-US');
export const ms = (number) => `${number < 10 ? number.toFixed(2) : whole(number)} ms`;
export const mb = (number) => `${whole(number)} MB`;
export const ratio = (number) => number.toFixed(2);

const SPEED_HEADER = [
  '',
  'bare req/s',
  'p50',
  'p99',
  'Switchyard req/s',
  'p50',
  'p99',
  'ratio',
  'target',
  '',
];

export function speedTable(results) {
  return table(
    SPEED_HEADER,
    results.map(({ name, target, bare, ours, ratio: share }) => [
      name,
      whole(bare.perSecond),
      ms(bare.p50),
      ms(bare.p99),
      whole(ours.perSecond),
      ms(ours.p50),
      ms(ours.p99),
      ratio(share),
      ratio(target),
      share >= target ? 'met' : 'missed',
    ]),
  );
}

/**
 * CPU cores used by each process. A generator near 1.00 is the bottleneck and makes the bare figures too low; `others`
 * above a few hundredths means that the machine was not idle.
 */
export function coresTable(results) {
  return table(
    [
      'cores used',
      'generator on bare',
      'bare',
      'generator on Switchyard',
      'Switchyard',
      'others',
      'load lag',
      'middle half of the ratios',
    ],
    results.map(({ name, bare, ours, ratios, loadedMs }) => [
      name,
      ratio(bare.generatorCores),
      ratio(bare.serverCores),
      ratio(ours.generatorCores),
      ratio(ours.serverCores),
      ratio(Math.max(bare.otherCores, ours.otherCores)),
      loadedMs === 0 ? '' : ms(loadedMs),
      `${ratio(quantile(ratios, 0.25))} to ${ratio(quantile(ratios, 0.75))}`,
    ]),
  );
}

export function targetTable(rows) {
  return table(
    ['', 'measured', 'target', ''],
    rows.map(({ name, text, value, below }) => [
      name,
      text,
      below === undefined ? '' : `under ${below.text}`,
      below === undefined ? '' : value < below.value ? 'met' : 'missed',
    ]),
  );
}
