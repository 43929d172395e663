/** Adds the file name to an engine error, because most engine errors do not contain it. */
export function fileError(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !isEngineError(error) || error.message.includes(file)) return error;
  return new Error(`Cannot open ${file}: ${error.message}. Run "switchyard doctor" for details.`, {
    cause: error,
  });
}

/** Our own errors have a name or a code, and their messages are already complete. */
function isEngineError({ name, code }: NodeJS.ErrnoException): boolean {
  return name === 'Error' && (code === undefined || code === 'ERR_SQLITE_ERROR');
}
