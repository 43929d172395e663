export interface ProvisionMistake {
  /** JSON pointer. */
  path: string;
  message: string;
  line?: number;
  column?: number;
}

/** The file is invalid; nothing was changed. */
export class ProvisionError extends Error {
  override readonly name = 'ProvisionError';
  readonly mistakes: readonly ProvisionMistake[];

  constructor(mistakes: readonly ProvisionMistake[]) {
    super(mistakes.map(describeMistake).join('\n'));
    this.mistakes = mistakes;
  }
}

function describeMistake({ path, message, line, column }: ProvisionMistake): string {
  const position = line === undefined ? '' : `line ${line}, column ${column}: `;
  return `${position}${path === '' ? '' : `${path} `}${message}`;
}
