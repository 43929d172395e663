import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiProblem } from './api.ts';
import { SessionExpired } from './features/accounts/session-expired.tsx';
import { changeAccount, maybeSignedIn, meQuery } from './features/accounts/use-me.ts';
import { latestChangesQuery } from './features/overview/latest-changes.tsx';
import { OverviewPage } from './features/overview/overview-page.tsx';
import { NotFoundPage, UnexpectedError } from './features/shell/error-pages.tsx';
import { PropertyShell } from './features/shell/property-shell.tsx';
import { propertiesQuery } from './features/shell/property-switcher.tsx';

// Pages that share most of their code are loaded together: fewer and larger files compress better.
const signInPages = () => import('./features/accounts/sign-in-pages.ts');
const splitTestPages = () => import('./features/split-tests/split-test-pages.ts');
const flagPages = () => import('./features/flags/flag-pages.ts');
const segmentPages = () => import('./features/segments/segment-pages.ts');
const outcomePages = () => import('./features/outcomes/outcome-pages.ts');
const feedbackPages = () => import('./features/feedback/feedback-pages.ts');
const sessionPages = () => import('./features/sessions/session-pages.ts');

interface RouterContext {
  client: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: UnexpectedError,
});

/** Pages for everybody. */
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(signInPages, 'SetupPage'),
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(signInPages, 'SignInPage'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(signInPages, 'InvitationPage'),
});

/** Pages for people who are signed in; all others are sent to the sign-in page and back. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: () => (
    <>
      <Outlet />
      <SessionExpired />
    </>
  ),
  beforeLoad: async ({ context: { client }, location }) => {
    if (!maybeSignedIn() || !(await isSignedIn(client))) {
      throw redirect({ to: '/sign-in', search: { returnTo: location.href } as never });
    }
  },
});
const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { properties } = await context.client.ensureQueryData(propertiesQuery);
    const first = properties[0];
    throw redirect(first ? { to: `/p/${first.id}/overview` } : { to: '/new-property' });
  },
});
const newProperty = createRoute({
  getParentRoute: () => signedIn,
  path: '/new-property',
  component: lazyRouteComponent(() => import('./features/settings/new-property-page.tsx'), 'NewPropertyPage'),
});
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('./features/accounts/account-page.tsx'), 'AccountPage'),
});

const property = createRoute({
  getParentRoute: () => signedIn,
  path: '/p/$propertyId',
  component: PropertyShell,
});
const propertyHome = createRoute({
  getParentRoute: () => property,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: `/p/${params.propertyId}/overview` });
  },
});

async function isSignedIn(client: QueryClient): Promise<boolean> {
  try {
    await client.ensureQueryData(meQuery);
    return true;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
    changeAccount(client, false);
    return false;
  }
}

const pageLoaders = new Set<() => Promise<unknown>>([
  // No pages, but they must open without a connection, to say that there is none.
  () => import('./features/changes/review-sheet.tsx'),
  signInPages,
]);

const propertyPages = [
  // In the first load: it is the page that people open first, and its parts are used by most other pages.
  createRoute({
    getParentRoute: () => property,
    path: 'overview',
    component: OverviewPage,
    // Quickly answered, but it would wait behind the figures: a browser sends six requests at a time.
    loader: ({ context, params }) => void context.client.prefetchQuery(latestChangesQuery(params.propertyId)),
  }),
  propertyPage('traffic', () => import('./features/traffic/traffic-page.tsx'), 'TrafficPage'),
  propertyPage('split-tests', splitTestPages, 'SplitTestListPage'),
  propertyPage('split-tests/$key', splitTestPages, 'SplitTestPage'),
  propertyPage('flags', flagPages, 'FlagListPage'),
  propertyPage('flags/$key', flagPages, 'FlagPage'),
  propertyPage(
    'flags/$key/results',
    () => import('./features/measured-flags/measured-results-page.tsx'),
    'MeasuredResultsPage',
  ),
  propertyPage('segments', segmentPages, 'SegmentListPage'),
  propertyPage('segments/$key', segmentPages, 'SegmentPage'),
  propertyPage('goals', outcomePages, 'GoalListPage'),
  propertyPage('goals/$key', outcomePages, 'GoalPage'),
  propertyPage('metrics', outcomePages, 'MetricListPage'),
  propertyPage('metrics/$key', outcomePages, 'MetricPage'),
  propertyPage('feedback', feedbackPages, 'FeedbackPage'),
  propertyPage('feedback/types/$key', feedbackPages, 'FeedbackTypePage'),
  propertyPage('sessions', sessionPages, 'SessionListPage'),
  propertyPage('sessions/$sessionId', sessionPages, 'SessionPage'),
  propertyPage('visitors/$visitorId', sessionPages, 'VisitorPage'),
  propertyPage('keys', () => import('./features/keys/key-page.tsx'), 'KeyPage'),
  propertyPage('history', () => import('./features/history/history-page.tsx'), 'HistoryPage'),
  propertyPage('settings', () => import('./features/settings/settings-page.tsx'), 'SettingsPage'),
];

/** Loads the code of all pages, so that later clicks need no network. */
export function preloadPages(): void {
  // A page that cannot be loaded now is loaded when it is opened.
  for (const load of pageLoaders) load().catch(() => {});
}

function propertyPage<M extends Record<string, unknown>>(
  path: string,
  load: () => Promise<M>,
  name: keyof M & string,
) {
  pageLoaders.add(load);
  return createRoute({
    getParentRoute: () => property,
    path,
    component: lazyRouteComponent(load as () => Promise<Record<string, never>>, name),
  });
}

const routeTree = root.addChildren([
  setup,
  signIn,
  invitation,
  signedIn.addChildren([home, newProperty, account, property.addChildren([propertyHome, ...propertyPages])]),
]);

export function createDashboardRouter(client: QueryClient) {
  return createRouter({
    routeTree,
    context: { client },
    defaultPreload: 'intent',
    scrollRestoration: true,
    // Plain query strings: filters are readable and can be typed by hand.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch,
  });
}

function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
