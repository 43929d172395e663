import { type RefObject, useEffect, useRef } from 'react';

/** Loads the next page of a list when the element at its end is nearly visible. */
export function useLoadMore<T extends Element>(loadMore: (() => void) | undefined): RefObject<T | null> {
  const end = useRef<T>(null);
  useEffect(() => {
    const element = end.current;
    if (loadMore === undefined || element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) loadMore();
      },
      { rootMargin: '400px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [loadMore]);
  return end;
}
