/** On a narrow screen, the list of pages opens by its link; Escape closes it again. */
export function addMenu(): void {
  const opener = document.querySelector<HTMLAnchorElement>('header a.menu')!;
  const isOpen = () => location.hash === '#navigation';
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !isOpen()) return;
    location.hash = '#content';
    opener.focus();
  });
  addEventListener('hashchange', () => {
    if (isOpen()) document.querySelector<HTMLElement>('#navigation a.close')?.focus();
  });
  const current = document.querySelector('nav.pages [aria-current]');
  const list = current?.closest('nav');
  // The list may be longer than the screen.
  if (list && current) list.scrollTop = (current as HTMLElement).offsetTop - list.clientHeight / 2;
}
