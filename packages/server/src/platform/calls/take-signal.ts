/** Removes the signal after the arguments of a call, if there is one. */
export function takeSignal(args: unknown[]): AbortSignal | undefined {
  return args.at(-1) instanceof AbortSignal ? (args.pop() as AbortSignal) : undefined;
}
