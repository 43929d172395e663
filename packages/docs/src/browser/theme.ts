// The choice is shared with the dashboard; without one, the system decides.
const THEME_KEY = 'mantine-color-scheme-value';
try {
  const choice = localStorage.getItem(THEME_KEY);
  if (choice === 'light' || choice === 'dark') document.documentElement.dataset.theme = choice;
} catch {
  // No access to storage.
}
