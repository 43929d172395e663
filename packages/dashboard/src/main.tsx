import './ui/style/mantine-styles.ts';
import './ui/style/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isStoreUnavailable, isTemporary, LATE_REFRESH_MS } from './api.ts';
import { meQuery } from './features/accounts/use-me.ts';
import { createDashboardRouter, preloadPages } from './routes.tsx';
import { keepFocusAfterClicks } from './ui/page/keep-focus.ts';
import { cssVariables, theme } from './ui/style/theme.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// The library that locks scrolling behind dialogs reads its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const client = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      // It knows since when figures are late.
      if (isStoreUnavailable(error)) void client.refetchQueries(meQuery, { cancelRefetch: false });
    },
  }),
  defaultOptions: {
    // Without a connection, requests fail and say so, instead of waiting for one.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      retry: (count, error) => count < 2 && isTemporary(error) && !isStoreUnavailable(error),
      refetchInterval: ({ state }) => isStoreUnavailable(state.error) && LATE_REFRESH_MS,
    },
  },
});

const router = createDashboardRouter(client);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
      deduplicateInlineStyles
    >
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

keepFocusAfterClicks();

const { connection } = navigator as { connection?: { saveData?: boolean } };
// After the first page is drawn and its figures are requested, unless the browser is told to save data.
if (!connection?.saveData) addEventListener('load', () => setTimeout(preloadPages, 1500));
