import { type RefObject, useEffect, useRef, useState } from 'react';

/** Whether an element has been near the visible part of the page, so that its figures are worth loading. */
export function useWasVisible<T extends Element>(): { ref: RefObject<T | null>; wasVisible: boolean } {
  const ref = useRef<T>(null);
  const [wasVisible, setVisible] = useState(false);
  useEffect(() => {
    if (wasVisible || ref.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setVisible(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: '200px' },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [wasVisible]);
  return { ref, wasVisible };
}
