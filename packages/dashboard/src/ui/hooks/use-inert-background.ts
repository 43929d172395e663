import { useLayoutEffect } from 'react';
import { keepFocus } from '../page/keep-focus.ts';

let open = 0;

/**
 * While a dialog is open, the page behind it can neither be reached nor read; afterwards the focus is back where it
 * was. Dialogs are rendered outside of the root element.
 */
export function useInertBackground(): void {
  useLayoutEffect(() => {
    const root = document.getElementById('root')!;
    const focused = document.activeElement;
    open += 1;
    // The dialog takes the focus first: an element that loses it by becoming inert would leave it nowhere.
    const timer = setTimeout(() => setHidden(root, open > 0));
    return () => {
      clearTimeout(timer);
      open -= 1;
      if (open > 0) return;
      setHidden(root, false);
      if (focused instanceof HTMLElement) focused.focus();
      keepFocus();
    };
  }, []);
}

function setHidden(root: HTMLElement, hidden: boolean): void {
  root.inert = hidden;
  if (hidden) root.setAttribute('aria-hidden', 'true');
  else root.removeAttribute('aria-hidden');
}
