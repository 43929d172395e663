/** A mistake in a provision file. */
export interface ProvisionMistake {
  /** JSON pointer. */
  path: string;
  message: string;
  line?: number;
  column?: number;
}

/** Records a mistake. */
export type Report = (path: string, message: string) => void;

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

export function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function formatPointer(parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
