/** The result of a call. SDK calls never throw. */
export type Result<T = unknown> =
  | ({ success: true } & T)
  | {
      success: false;
      /** Delivery continues in the background. */
      queued?: true;
      error: { code: string; message: string };
    };

export function failure(
  code: string,
  message: string,
): { success: false; error: { code: string; message: string } } {
  return { success: false, error: { code, message } };
}
