const FIELDS = ['button', 'input', 'select', 'textarea'].map((name) => `${name}:not(:disabled)`);
const FOCUSABLE = ['a[href]', ...FIELDS, '[tabindex="0"]'].join();

/**
 * After a dialog or a page is closed, what had the focus may be gone or disabled. Then the title gets it: the focus must
 * not go back to the top of the document.
 */
export function keepFocus(): void {
  whenSettled(() => {
    if (isFocusLost()) focusTitle();
  });
}

/** Buttons that remove or disable themselves: with the keyboard, one goes on beside where the button was. */
export function keepFocusAfterClicks(): void {
  const onClick = ({ detail, target }: MouseEvent) => {
    const isByKeyboard = detail === 0;
    if (!isByKeyboard || !(target instanceof Element) || target !== document.activeElement) return;
    const around = ancestors(target);
    whenSettled(() => {
      if (isFocusLost()) focusFirstIn(around);
    });
  };
  // Before any handler removes the button.
  addEventListener('click', onClick, { capture: true });
}

function focusFirstIn(elements: readonly Element[]): void {
  const next = elements
    .filter(({ isConnected }) => isConnected)
    .map((element) => element.querySelector<HTMLElement>(FOCUSABLE))
    .find((found) => found !== null);
  if (next) next.focus();
  else focusTitle();
}

/** Within the content of the page, the closest first. */
function ancestors(element: Element): Element[] {
  const parent = element.parentElement;
  return parent === null || parent.id === 'content' ? [] : [parent, ...ancestors(parent)];
}

// Elements that were disabled lose the focus with the next frame.
const whenSettled = (run: () => void) => requestAnimationFrame(() => requestAnimationFrame(run));

function isFocusLost(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || activeElement.matches(':disabled');
}

const focusTitle = () => document.getElementById('page-title')?.focus({ preventScroll: true });
