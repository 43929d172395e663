/** An error that the caller can fix: the message says how, and no stack is shown. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
