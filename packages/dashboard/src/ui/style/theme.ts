import { type CSSVariablesResolver, createTheme } from '@mantine/core';

const dialog = { closeButtonProps: { 'aria-label': 'Close' }, transitionProps: { duration: 100 } };

/** Dense and calm: small text, little color, sharp contrast. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: 7,
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '0.9375rem' } } },
  respectReducedMotion: true,
  cursorType: 'pointer',
  // Plain objects: importing the components would add them to the first load.
  components: {
    // Descriptions say what is required or optional where that is not obvious.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Modal: { defaultProps: dialog },
    Drawer: { defaultProps: dialog },
    Tooltip: { defaultProps: { openDelay: 300 } },
  },
});

/** The dimmed text and the errors of Mantine have too little contrast on our backgrounds. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--sy-good': 'light-dark(#1b7f3b, #5fd38a)',
    '--sy-bad': 'light-dark(#c0282d, #ff8787)',
    '--sy-warn': 'light-dark(#8f5a00, #ffc14d)',
    '--sy-accent': 'light-dark(#3b5bdb, #8ea2ff)',
    '--sy-line': 'light-dark(#e3e6ea, #32363d)',
    '--sy-panel': 'light-dark(#ffffff, #1c1e22)',
    '--sy-hover': 'light-dark(#f2f4f7, #26292f)',
  },
  light: {
    '--mantine-color-dimmed': '#5b6470',
    '--mantine-color-error': 'var(--sy-bad)',
    '--mantine-color-body': '#fafbfc',
  },
  dark: {
    '--mantine-color-dimmed': '#a4abb6',
    '--mantine-color-error': 'var(--sy-bad)',
    '--mantine-color-body': '#16181b',
  },
});
