/** The result of a promise, or of `onTimeout` if it takes longer; the work behind the promise goes on. */
export async function withTimeout<T, Late>(
  promise: Promise<T>,
  ms: number,
  onTimeout: () => Late,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  }).then(onTimeout);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
