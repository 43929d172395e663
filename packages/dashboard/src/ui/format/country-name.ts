const countries = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' });

/** "Germany" for `DE`; a code that is not one of a country stays as it is. */
export function countryName(code: string): string {
  try {
    return countries.of(code) ?? code;
  } catch {
    // Not two letters.
    return code;
  }
}
