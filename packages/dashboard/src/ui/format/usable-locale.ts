/** The locale, or undefined for the default if it is none: Chromium in the C locale says `en-US@posix`, for example. */
export function usableLocale(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name)[0];
  } catch {
    return undefined;
  }
}
