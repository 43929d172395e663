/** The engines often do not say which file they mean; whoever has to mend it wants to know. */
export function fileError(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !isBare(error) || error.message.includes(file)) return error;
  return new Error(`${file} cannot be used: ${error.message}. "switchyard doctor" says more.`, {
    cause: error,
  });
}

/** Of an engine; our own errors have a name or a code, and say what they mean. */
function isBare({ name, code }: NodeJS.ErrnoException): boolean {
  return name === 'Error' && (code === undefined || code === 'ERR_SQLITE_ERROR');
}
