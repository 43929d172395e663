import { useEffect, useRef, useState } from 'react';

/**
 * The text of a field whose value is in the URL. The URL follows later, so while the field has the focus, what is typed
 * counts; then what others change, such as a button that clears all filters.
 */
export function useFieldText(value: string) {
  const ref = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  useEffect(() => {
    if (ref.current !== document.activeElement) setText(value);
  }, [value]);
  return { ref, text, setText };
}
