/** Something the caller can mend; the message says how, and is all that is shown. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
