/** The type of a JSON value, with the members that it has. */
export function typeOfJson(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'unknown[]' : `(${union(value.map(typeOfJson))})[]`;
  if (typeof value !== 'object') return typeof value;
  return objectType(
    Object.entries(value).map(([key, member]) => `${memberName(key)}: ${typeOfJson(member)}`),
  );
}

export const objectType = (members: readonly string[]): string =>
  members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`;

export function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : [...new Set(types)].join(' | ');
}

export const memberName = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key));

/** A string literal; JSON's escapes are TypeScript's. */
export const quote = (text: string): string => JSON.stringify(text);
