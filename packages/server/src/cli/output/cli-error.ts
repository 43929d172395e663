/** An error that the user can fix: the message explains how, and no stack is printed. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
