const names = new Intl.DisplayNames(navigator.language, { type: 'currency' });
const options = Intl.supportedValuesOf('currency').map((code) => ({ value: code, label: labelOf(code) }));

function labelOf(code: string): string {
  const name = names.of(code);
  return name === undefined || name === code ? code : `${code} · ${name}`;
}

/** All currencies, and the chosen one even if nobody knows it. */
export const currencyOptions = (chosen: string) =>
  options.some(({ value }) => value === chosen) ? options : [{ value: chosen, label: chosen }, ...options];
