import type { FlagType } from '@switchyard/core/api/targeting';
import type { PropertyConfiguration, SplitTest } from '../../storage/property-configuration.ts';

/**
 * A TypeScript declaration of what properties have, for the type parameter of the SDK: with it a misspelt key, a
 * fallback of the wrong type or an option that does not exist does not compile.
 */
export function typeDeclarations(properties: readonly PropertyConfiguration[]): string {
  // Not to be hidden by a property of that name: the declarations use it.
  const names = new Set(['Record']);
  const declarations = properties.map((property) => {
    const name = interfaceName(property.id);
    let own = name;
    for (let number = 2; names.has(own); number++) own = `${name}_${number}`;
    names.add(own);
    return typeDeclaration(property, own);
  });
  return declarations.join('\n');
}

function typeDeclaration(property: PropertyConfiguration, name: string): string {
  const { id, splitTests, flags, goals, feedbackTypes } = property;
  const live = splitTests.filter(({ status }) => status !== 'archived');
  return [
    `/** What the property ${JSON.stringify(id)} has. Written by \`switchyard types\`: run it again after changes. */`,
    `export interface ${name} {`,
    ...members(
      'splitTests',
      live.map((test) => [test.key, shownBy(test)]),
    ),
    ...members(
      'flags',
      flags.map(({ key, type }) => [key, type satisfies FlagType]),
    ),
    ...members(
      'goals',
      goals.map(({ id, kind }) => [id, quote(kind)]),
    ),
    ...members(
      'feedbackTypes',
      feedbackTypes.map(({ id, options }) => [id, union(options.map(quote))]),
    ),
    '}',
    '',
  ].join('\n');
}

function members(name: string, entries: readonly (readonly [string, string])[]): string[] {
  if (entries.length === 0) return [`  ${name}: Record<never, never>;`];
  return [`  ${name}: {`, ...entries.map(([key, type]) => `    ${memberName(key)}: ${type};`), '  };'];
}

/** What `splitTest.get` may answer. Texts are wording that changes, so they are no part of the type. */
function shownBy({ type, variations }: SplitTest): string {
  if (type === 'text') return 'string';
  if (type === 'id') return union(variations.map(({ key }) => quote(key)));
  return union(variations.map(({ value }) => typeOfJson(JSON.parse(value))));
}

function typeOfJson(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'unknown[]' : `(${union(value.map(typeOfJson))})[]`;
  if (typeof value !== 'object') return typeof value;
  const entries = Object.entries(value);
  if (entries.length === 0) return 'Record<string, never>';
  return `{ ${entries.map(([key, member]) => `${memberName(key)}: ${typeOfJson(member)}`).join('; ')} }`;
}

function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : [...new Set(types)].join(' | ');
}

const memberName = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key));

/** A string literal; JSON's escapes are TypeScript's. */
const quote = (text: string) => JSON.stringify(text);

/** `my-shop` becomes `MyShop`. */
function interfaceName(id: string): string {
  const words = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z]/.test(name) ? name : `Property${name}`;
}
