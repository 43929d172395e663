const THEME_KEY = 'mantine-color-scheme-value';

export function addThemeSwitch(): void {
  const button = document.querySelector<HTMLButtonElement>('button.theme')!;
  const { dataset } = document.documentElement;
  button.hidden = false;
  button.addEventListener('click', () => {
    const isDark = dataset.theme
      ? dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    dataset.theme = isDark ? 'light' : 'dark';
    try {
      localStorage.setItem(THEME_KEY, dataset.theme);
    } catch {
      // Lasts as long as the page.
    }
  });
}
