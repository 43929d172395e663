import { ApiError } from '../errors/errors.ts';

/** What is left of an error that is sent to another thread or process: by themselves, errors lose name and code. */
export interface CopiedError {
  name: string;
  message: string;
  stack?: string | undefined;
  code?: string | undefined;
  /** Of an `ApiError`. */
  response?: Omit<ConstructorParameters<typeof ApiError>[1] & object, 'message'>;
}

export function copyError(error: unknown): CopiedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack, code } = error as NodeJS.ErrnoException;
  const copied: CopiedError = { name, message, stack };
  if (typeof code === 'string') copied.code = code;
  if (error instanceof ApiError) {
    const { fields, headers, details } = error;
    copied.response = { ...(fields && { fields }), ...(headers && { headers }), ...(details && { details }) };
  }
  return copied;
}

export function restoreError({ name, message, stack, code, response }: CopiedError): Error {
  if (response !== undefined) {
    return Object.assign(new ApiError(code as ApiError['code'], { message, ...response }), { stack });
  }
  return Object.assign(new Error(message), {
    stack,
    ...(name !== 'Error' && { name }),
    ...(code !== undefined && { code }),
  });
}
