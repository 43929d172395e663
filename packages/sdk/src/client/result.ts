/** What a call ends in. SDK calls never throw at the program they are in. */
export type Result<T = unknown> =
  | ({ success: true } & T)
  | { success: false; error: { code: string; message: string } };

export function failure(
  code: string,
  message: string,
): { success: false; error: { code: string; message: string } } {
  return { success: false, error: { code, message } };
}
