import { useEffect } from 'react';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { NAVIGATION } from './navigation.ts';

/** ⌘K or Ctrl+K and `/` search; `g` followed by a letter opens a page. */
export function useShortcuts(openPalette: () => void): void {
  const navigate = usePropertyNavigate();
  useEffect(() => {
    let isGoing = false;
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const page = isGoing ? NAVIGATION.find(({ key }) => key === event.key) : undefined;
      isGoing = event.key === 'g' && !isGoing;
      if (page !== undefined) navigate(page.path);
      else if (event.key === '/') {
        event.preventDefault();
        openPalette();
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, openPalette]);
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
