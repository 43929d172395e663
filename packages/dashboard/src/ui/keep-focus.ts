/**
 * After a dialog or a page is closed, what had the focus may be gone or disabled. Then the title gets it: the focus must
 * not go back to the top of the document.
 */
export function keepFocus(): void {
  // Elements that were disabled lose the focus with the next frame.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const { activeElement, body } = document;
      const isLost = activeElement === null || activeElement === body || activeElement.matches(':disabled');
      if (isLost) document.getElementById('page-title')?.focus({ preventScroll: true });
    }),
  );
}
