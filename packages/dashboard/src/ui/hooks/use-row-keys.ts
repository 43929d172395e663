import { useState } from 'react';

let count = 0;

/** Keys for the rows of a list whose items have no identity of their own, so that fields keep their state. */
export function useRowKeys(length: number): { keys: readonly number[]; remove: (index: number) => void } {
  const [keys, setKeys] = useState<readonly number[]>(() => Array.from({ length }, () => count++));
  let current = keys;
  if (keys.length !== length) {
    current = Array.from({ length }, (_, index) => keys[index] ?? count++);
    setKeys(current);
  }
  // The list itself gets shorter in the same event.
  const remove = (index: number) => setKeys(current.filter((_, each) => each !== index));
  return { keys: current, remove };
}
