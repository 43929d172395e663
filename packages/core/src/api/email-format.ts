/** Without the schema library, which a start does not have to wait for. */
export const MAX_EMAIL_LENGTH = 254;

const LABEL = '[\\p{L}\\p{M}\\p{N}-]+';

/** One `@`, no spaces, no control or invisible characters, a domain of labels. Needs the flag `u`. */
export const EMAIL = `^[^\\s\\p{C}@]+@${LABEL}(\\.${LABEL})*$`;

const FORMAT = new RegExp(EMAIL, 'u');

/** Also refuses letters that become others in lower case, such as the Kelvin sign, which becomes a `k`. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && FORMAT.test(text) && text.normalize('NFKC') === text;
}
