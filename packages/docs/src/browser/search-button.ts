/** The search is loaded when it is used for the first time. */
export function addSearch(): void {
  const button = document.querySelector<HTMLButtonElement>('button.search')!;
  const open = async () => (await import('./search-dialog.ts')).openSearch();
  button.hidden = false;
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const isTyping = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isPalette = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isSlash && !isPalette) return;
    event.preventDefault();
    void open();
  });
}
