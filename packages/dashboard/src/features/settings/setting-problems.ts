// What is wrong with a setting while it is typed; the server checks the same again. Undefined: fine.

export function rangeProblem(
  value: number,
  min: number,
  max: number,
  { isWhole = false } = {},
): string | undefined {
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return undefined;
  return `Enter a${isWhole ? ' whole' : ''} number from ${min.toLocaleString()} to ${max.toLocaleString()}`;
}

/** Origins that the server would refuse. */
export function originProblem(origins: readonly string[]): string | undefined {
  const wrong = origins.find((origin) => !isOrigin(origin));
  return wrong === undefined
    ? undefined
    : `“${wrong}” is not an origin like https://shop.example, without a path or a slash at the end`;
}

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Of a custom scheme, such as that of an app.
  if (url?.origin === 'null') return /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*]+$/.test(text);
  return url?.origin === text;
}
