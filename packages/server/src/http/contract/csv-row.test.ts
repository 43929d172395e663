import { expect, it } from 'vitest';
import { csvRow } from './csv-row.ts';

it.each<[string | number, string]>([
  ['plain, "quoted"', '"plain, ""quoted"""'],
  ['a;b', '"a;b"'],
  ['a\tb', '"a\tb"'],
  ['=1', "'=1"],
  ['-1', "'-1"],
  ['\n=1', '"\'\n=1"'],
  ['\t=1', '"\'\t=1"'],
  ...['＝', '＋', '－', '＠'].map((sign): [string, string] => [`${sign}1`, `'${sign}1`]),
  [' =1', "' =1"],
  ['\u00a0\u3000@x', "'\u00a0\u3000@x"],
  ['1=1', '1=1'],
  [' a=1', ' a=1'],
  [-1, '-1'],
])('writes %j so that no spreadsheet splits or computes it', (value, field) => {
  expect(csvRow([value, 'next'])).toBe(`${field},next\r\n`);
});
