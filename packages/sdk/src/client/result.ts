/** The result of a call. SDK calls never throw. */
export type Result<T = unknown> =
  | ({ success: true } & T)
  | { success: false; error: { code: string; message: string } };

/**
 * The result of a goal or feedback call. Success means that it is stored. `queued` means that it is not stored yet, but
 * is still being delivered in the background; without it, a failure is final.
 */
export type DeliveryResult =
  | { success: true }
  | { success: false; queued?: true; error: { code: string; message: string } };

export function failure(
  code: string,
  message: string,
): { success: false; error: { code: string; message: string } } {
  return { success: false, error: { code, message } };
}
