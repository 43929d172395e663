/** Adds a button that copies the code to each code block, but not to diagrams and output. */
export function addCopyButtons(container: ParentNode): void {
  for (const figure of container.querySelectorAll('figure.code:not(.text)')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => copy(figure.querySelector('code')?.textContent ?? '', button));
    figure.append(button);
  }
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  // Without HTTPS there is no clipboard.
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  button.textContent = copied ? 'Copied' : 'Not allowed';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1500);
}
