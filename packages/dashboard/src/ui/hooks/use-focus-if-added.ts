import { useEffect, useRef } from 'react';

/** Where a button adds fields: the first of them gets the focus. */
export function useFocusIfAdded(isAdded: boolean) {
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAdded) fields.current?.querySelector<HTMLElement>('input, textarea, button')?.focus();
  }, [isAdded]);
  return fields;
}
