import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';
import type { Attributes, Shown } from '../client/browser-client.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from '../client/schema.ts';
import { type Bootstrap, choose } from '../client/split-tests.ts';

/** What the hooks need of a client: that of `@switchyard/sdk/browser`, or of `@switchyard/sdk/split-testing`. */
export interface ReactClient {
  readonly splitTest: {
    get(testKey: string, fallback: unknown): unknown;
    peek(testKey: string, fallback: unknown): unknown;
  };
  subscribe(listener: () => void): () => void;
  track?(name: string, properties?: Attributes): void;
}

export interface SwitchyardProviderProps {
  /** The client of the page; left out where pages are rendered on a server. */
  client?: object | null;
  /**
   * The `bootstrap` of the request on the server. In the page it is found by itself when the server's `script()`
   * stands before the scripts of the page.
   */
  bootstrap?: Bootstrap | null;
  children?: ReactNode;
}

interface Shared {
  client: ReactClient | undefined;
  /** What the server rendered, and so what the page must show first. */
  rendered(testKey: string, fallback: unknown): unknown;
}

const nothing: Shared = { client: undefined, rendered: (_testKey, fallback) => fallback };
const SwitchyardContext = createContext(nothing);
const unsubscribed = () => () => {};

/**
 * Hands the client to the hooks below it.
 *
 * @example
 * <SwitchyardProvider client={client}>
 *   <App />
 * </SwitchyardProvider>
 */
export function SwitchyardProvider({ client, bootstrap, children }: SwitchyardProviderProps): ReactElement {
  const shared = useMemo<Shared>(
    () => ({
      client: (client as ReactClient | null | undefined) ?? undefined,
      rendered: renderedBy(bootstrap === undefined ? globalThis.__SWITCHYARD__ : bootstrap),
    }),
    [client, bootstrap],
  );
  return createElement(SwitchyardContext.Provider, { value: shared }, children);
}

/** Each test is looked up once: hooks need the very same object every time they ask. */
function renderedBy(bootstrap: Bootstrap | null | undefined): Shared['rendered'] {
  if (!bootstrap) return nothing.rendered;
  const { config, visitorId } = bootstrap;
  const choices = new Map(
    config.tests.map((test) => [test.key, choose(test, { visitorId, holdout: config.holdout })]),
  );
  return (testKey, fallback) => {
    const choice = choices.get(testKey);
    return choice ? choice.value : fallback;
  };
}

/**
 * What the visitor gets to see in a test. The exposure is recorded when the component is in the page, so what was
 * rendered but never shown counts for nothing.
 *
 * @example const label = useSplitTest('hero', 'Buy');
 */
export function useSplitTest<const Fallback>(testKey: string, fallback: Fallback): Shown<unknown, Fallback> {
  const { client, rendered } = useContext(SwitchyardContext);
  const value = useSyncExternalStore(
    client ? client.subscribe : unsubscribed,
    () => (client ? client.splitTest.peek(testKey, undefined) : rendered(testKey, undefined)),
    () => rendered(testKey, undefined),
  );
  useEffect(() => {
    if (!client) return;
    const record = () => void client.splitTest.get(testKey, undefined);
    record();
    // Definitions that come later may show the same as the fallback, and still are an exposure.
    return client.subscribe(record);
  }, [client, testKey]);
  return (value === undefined ? fallback : value) as Shown<unknown, Fallback>;
}

/**
 * A function that records an event in the session of the visitor.
 *
 * @example const track = useTrack(); … onClick={() => track('added to cart', { sku })}
 */
export function useTrack(): (name: string, properties?: Attributes) => void {
  const { client } = useContext(SwitchyardContext);
  return useCallback((name, properties) => client?.track?.(name, properties), [client]);
}

export interface SwitchyardHooks<Schema extends SwitchyardSchema = AnySchema> {
  useSplitTest<
    Key extends KeyOf<Schema['splitTests']>,
    const Fallback extends Schema['splitTests'][Key] | null | undefined,
  >(testKey: Key, fallback: Fallback): Schema['splitTests'][Key] | Fallback;
  useTrack: typeof useTrack;
}

/**
 * The same hooks, for the keys of a property alone.
 *
 * @example export const { useSplitTest, useTrack } = createHooks<Shop>();
 */
export function createHooks<Schema extends SwitchyardSchema>(): SwitchyardHooks<Schema> {
  return { useSplitTest: useSplitTest as SwitchyardHooks<Schema>['useSplitTest'], useTrack };
}
