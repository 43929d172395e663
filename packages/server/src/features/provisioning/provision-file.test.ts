import { describe, expect, test } from 'vitest';
import { readProvisionText } from './provision-file.ts';
import { ProvisionError } from './provision-mistake.ts';
import { shapeProvisionFile } from './provision-shape.ts';

function syntaxMistakes(text: string): string {
  try {
    readProvisionText(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ProvisionError);
    return (error as Error).message;
  }
  return 'no mistake';
}

const shapeMistakes = (content: unknown) =>
  shapeProvisionFile(content).mistakes.map(({ path, message }) => `${path} ${message}`);

describe('reading', () => {
  test('JSON and YAML have the same content, and both have line numbers', () => {
    const yaml = readProvisionText('properties:\n  - id: shop\n    name: "\\ud83d\\ude00"\n');
    const json = readProvisionText(
      '{\n\t"properties": [\n\t\t{ "id": "shop", "name": "\\ud83d\\ude00" }\n\t]\n}',
    );
    expect(json.content).toEqual(yaml.content);
    expect(yaml.locate('/properties/0/name')).toEqual({ line: 3, column: 5 });
    expect(json.locate('/properties/0/name')).toEqual({ line: 3, column: 19 });
    expect(json.locate('/properties/0/missing')).toEqual({ line: 3, column: 3 });
  });

  test('JSON has line numbers, and the mistakes that YAML would have', () => {
    const { content, locate } = readProvisionText('{\n  "a": { "b:": "x\\"}:", "c": [1, null, true] }\n}');
    expect(content).toEqual({ a: { 'b:': 'x"}:', c: [1, null, true] } });
    expect(locate('/a/c')).toEqual({ line: 2, column: 25 });
    expect(syntaxMistakes('{"a": 1,\n"a": 2}')).toMatch(/^line 2.*unique$/);
    expect(syntaxMistakes('{"a": {"b": [{"c": 1, "d": 2, "c": 3}]}}')).toMatch(/unique/);
    expect(syntaxMistakes('{"a": "\\ud800"}')).toMatch(/lone surrogate/);
    expect(syntaxMistakes(`{"a": ${'['.repeat(200)}${']'.repeat(200)}}`)).toMatch(/nested deeper/);
    expect(syntaxMistakes('{"a": 1')).toMatch(/line 1/);
  });

  test('reports invalid YAML', () => {
    expect(syntaxMistakes('properties: [')).toMatch(/^line 1, column 14: .*end with a \]/);
    expect(syntaxMistakes('a: 1\na: 2\nb: 1\nb: 2')).toMatch(/^line 2.*unique\nline 4.*unique$/);
    expect(syntaxMistakes('a: !custom x')).toMatch(/^line 1, column 4: Unresolved tag/);
    expect(syntaxMistakes('a: *nobody')).toMatch(/nobody/);
    expect(syntaxMistakes('a: 1\n---\nb: 2')).toMatch(/one YAML document/);
    for (const deep of ['[', '- ', '{a: ', '? ']) {
      expect(syntaxMistakes(deep.repeat(20_000))).toBe('is nested deeper than 100 levels');
    }
    expect(syntaxMistakes(' '.repeat(17 * 1024 * 1024))).toMatch(/larger than 16 MiB/);
  });

  test('reports every lone surrogate, in values and names', () => {
    const text = '{ "properties": [\n{ "id": "a\\ud800" },\n{ "\\uDFFF": 1 },\n{ "id": "\\ud83d\\ude00" }] }';
    expect(syntaxMistakes(text)).toBe(
      'line 2, column 9: contains a lone surrogate, which is not a valid character\nline 3, column 3: contains a lone surrogate, which is not a valid character',
    );
  });

  test('aliases are allowed, alias bombs are not', () => {
    const text =
      'properties:\n  - id: a\n    goals: &goals [{ id: x, kind: count }]\n  - { id: b, goals: *goals, flags: 5 }';
    const source = readProvisionText(text);
    expect(source.content).toMatchObject({ properties: [{}, { goals: [{ id: 'x' }] }] });
    expect(source.locate('/properties/1/goals/0/id')).toEqual({ line: 3, column: 22 });
    const levels = ['a: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 10; level++) {
      levels.push(
        `${String.fromCharCode(97 + level)}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    expect(syntaxMistakes(levels.join('\n'))).toMatch(/alias count/i);
  });
});

describe('shape', () => {
  test('any content leads to a message, not to an exception', () => {
    expect(shapeMistakes(null)).toEqual([' must be an object, not empty']);
    expect(shapeMistakes([])).toEqual([' must be an object, not a list']);
    expect(shapeMistakes({})).toEqual([' is missing "properties"']);
    expect(shapeMistakes({ properties: {} })).toEqual(['/properties must be a list, not an object']);
    expect(shapeMistakes({ properties: ['shop'] })).toEqual([
      '/properties/0 must be an object, not a string',
    ]);
  });

  test('`__proto__` and `constructor` are unknown fields', () => {
    const content = JSON.parse('{"properties": [{"id": "a", "__proto__": {"name": "x"}, "constructor": 1}]}');
    expect(shapeMistakes(content)).toEqual([
      expect.stringMatching(/^\/properties\/0\/__proto__ is an unknown field; known fields: id, name, /),
      expect.stringMatching(/^\/properties\/0\/constructor is an unknown field/),
    ]);
  });

  test('a union is one mistake, of the closest alternative', () => {
    const flag = (environments: unknown) => ({
      properties: [{ id: 'a', flags: [{ key: 'f', environments }] }],
    });
    expect(shapeMistakes(flag({ production: { value: 1 } }))).toEqual([
      '/properties/0/flags/0/environments/production/value must be true or false or a string',
    ]);
    expect(shapeMistakes(flag({ production: { value: 'x'.repeat(9000) } }))).toEqual([
      '/properties/0/flags/0/environments/production/value must be at most 8192 characters long',
    ]);
    expect(
      shapeMistakes({ properties: [{ id: 'a', retentionDays: 1.5, allowedOrigins: [1, 'x'] }] }),
    ).toEqual([
      '/properties/0/retentionDays must be a whole number or null',
      '/properties/0/allowedOrigins/0 must be a string, not 1',
    ]);
    expect(shapeMistakes(flag({ 'no good': {} }))).toEqual([
      '/properties/0/flags/0/environments/no good is not a valid environment id',
    ]);
  });

  test('control characters and lone surrogates in names are rejected', () => {
    expect(shapeMistakes({ properties: [{ id: 'a', name: 'x\u001b[2J' }] })).toEqual([
      '/properties/0/name must be one line of text without control characters',
    ]);
    expect(shapeMistakes({ properties: [{ id: 'a', name: 'x\ud800' }] })).toHaveLength(1);
    // SQLite would truncate it there.
    const segments = [{ id: 'beta', name: 'Be\0ta', conditions: [] }];
    expect(shapeMistakes({ properties: [{ id: 'a', segments }] })).toEqual([
      '/properties/0/segments/0/name must be text',
    ]);
  });

  test('the smallest invalid parts are removed, and paths map back to the original', () => {
    const { file, originalPath } = shapeProvisionFile({
      properties: [
        { id: 5 },
        {
          id: 'shop',
          name: 7,
          goals: [{ id: '!' }, { id: 'ok', kind: 'nope' }, 3, { id: 'fine', kind: 'count' }],
        },
      ],
    });
    expect(file).toEqual({
      properties: [{ id: 'shop', goals: [{ id: 'ok' }, { id: 'fine', kind: 'count' }] }],
    });
    expect(originalPath('/properties/0/goals/1/id')).toBe('/properties/1/goals/3/id');
  });
});
