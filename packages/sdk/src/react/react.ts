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
import type { Attributes, SplitTestValue } from '../client/browser-client.ts';
import type { FlagValueFor, ValueFallback } from '../client/flag-types.ts';
import type { PageFeedbackCall } from '../client/page-conversions.ts';
import { type DeliveryResult, failure } from '../client/result.ts';
import type { AnySchema, JsonValue, KeyOf, SwitchyardSchema } from '../client/schema.ts';
import { type Bootstrap, choose } from '../client/split-tests.ts';

/** What the hooks need; all clients for pages have it. Only those of `@switchyard/sdk/relay` have flags and feedback. */
export interface ReactClient {
  readonly splitTest: {
    get(testKey: string, fallback: unknown): unknown;
    peek(testKey: string, fallback: unknown): unknown;
  };
  subscribe(listener: () => void): () => void;
  track?(name: string, properties?: Attributes): void;
  readonly flags?: { get(key: string, fallback: unknown): unknown };
  readonly feedback?: { submit(feedbackTypeId: string, call: PageFeedbackCall): Promise<DeliveryResult> };
}

export interface SwitchyardProviderProps {
  /** The client of the page; omit it when rendering on a server. */
  client?: object | null;
  /**
   * On a server: the `bootstrap` of the request. In a page it is found automatically, provided that the server's
   * `script()` comes before the page's scripts.
   */
  bootstrap?: Bootstrap | null;
  children?: ReactNode;
}

interface ContextValue {
  client: ReactClient | undefined;
  /** The value that the server rendered, and that the page must therefore show first. */
  rendered(testKey: string, fallback: unknown): unknown;
}

const emptyContext: ContextValue = { client: undefined, rendered: (_testKey, fallback) => fallback };
const SwitchyardContext = createContext(emptyContext);
const subscribeToNothing = () => () => {};

/**
 * Provides the client to the hooks below it.
 *
 * @example
 * <SwitchyardProvider client={client}>
 *   <App />
 * </SwitchyardProvider>
 */
export function SwitchyardProvider({ client, bootstrap, children }: SwitchyardProviderProps): ReactElement {
  const value = useMemo<ContextValue>(
    () => ({
      client: (client as ReactClient | null | undefined) ?? undefined,
      rendered: renderedBy(bootstrap === undefined ? globalThis.__SWITCHYARD__ : bootstrap),
    }),
    [client, bootstrap],
  );
  return createElement(SwitchyardContext.Provider, { value }, children);
}

/** Choices are computed once: hooks must get the same object on every render. */
function renderedBy(bootstrap: Bootstrap | null | undefined): ContextValue['rendered'] {
  if (!bootstrap) return emptyContext.rendered;
  const { config, visitorId, userId, audiences } = bootstrap;
  const { holdout } = config;
  const choices = new Map(
    config.tests.map((test) => {
      const isOutside = !!test.audience && !audiences?.[test.key];
      return [test.key, choose(test, { visitorId, userId, holdout, isOutside })];
    }),
  );
  return (testKey, fallback) => {
    const choice = choices.get(testKey);
    return choice ? choice.value : fallback;
  };
}

/**
 * The value of a test for this visitor. The exposure is recorded when the component is mounted, so that a test that
 * was rendered but never shown does not count.
 *
 * @example const label = useSplitTest('hero', 'Buy');
 */
export function useSplitTest<const Fallback>(
  testKey: string,
  fallback: Fallback,
): SplitTestValue<unknown, Fallback> {
  const { client, rendered } = useContext(SwitchyardContext);
  const value = useSyncExternalStore(
    client ? client.subscribe : subscribeToNothing,
    () => (client ? client.splitTest.peek(testKey, undefined) : rendered(testKey, undefined)),
    () => rendered(testKey, undefined),
  );
  useEffect(() => {
    if (!client) return;
    const record = () => void client.splitTest.get(testKey, undefined);
    record();
    // Definitions that arrive later may give the same value as the fallback, and still are an exposure.
    return client.subscribe(record);
  }, [client, testKey]);
  return (value === undefined ? fallback : value) as SplitTestValue<unknown, Fallback>;
}

/**
 * Returns a function that records an event in the visitor's session.
 *
 * @example const track = useTrack(); … onClick={() => track('added to cart', { sku })}
 */
export function useTrack(): (name: string, properties?: Attributes) => void {
  const { client } = useContext(SwitchyardContext);
  return useCallback((name, properties) => client?.track?.(name, properties), [client]);
}

/**
 * The value of a flag, from a client of `@switchyard/sdk/relay`. The fallback on the server, and until the value is
 * loaded. The type of the fallback decides how a flag with a format is read, as with `flags.get` of the client; an object
 * is the same one on every render, until the value changes.
 *
 * @example
 * const isNew = useFlag('new-checkout', false);
 * const { plans } = useFlag('pricing', { plans: ['basic'] });
 */
export function useFlag<Fallback extends boolean | string | number | object | null | undefined>(
  key: string,
  fallback: Fallback,
): FlagValueFor<JsonValue, Fallback> {
  const { client } = useContext(SwitchyardContext);
  const value = useSyncExternalStore(
    client ? client.subscribe : subscribeToNothing,
    // Not `??`: JSON can be null.
    () => (client?.flags ? client.flags.get(key, fallback) : fallback),
    () => fallback,
  );
  return value as FlagValueFor<JsonValue, Fallback>;
}

const NO_RELAY = failure('no_relay', 'Feedback needs a client of `@switchyard/sdk/relay`.');

/**
 * Returns a function that submits feedback of one type, through a client of `@switchyard/sdk/relay`.
 *
 * @example const submit = useFeedback('nps'); … onClick={() => submit({ option: 'good' })}
 */
export function useFeedback(feedbackTypeId: string): (call: PageFeedbackCall) => Promise<DeliveryResult> {
  const { client } = useContext(SwitchyardContext);
  return useCallback(
    async (call) => client?.feedback?.submit(feedbackTypeId, call) ?? NO_RELAY,
    [client, feedbackTypeId],
  );
}

export interface SwitchyardHooks<Schema extends SwitchyardSchema = AnySchema> {
  useSplitTest<
    Key extends KeyOf<Schema['splitTests']>,
    const Fallback extends Schema['splitTests'][Key] | null | undefined,
  >(testKey: Key, fallback: Fallback): Schema['splitTests'][Key] | Fallback;
  useTrack: typeof useTrack;
  useFlag<Key extends KeyOf<Schema['flags']>, Fallback extends ValueFallback<Schema['flags'][Key]>>(
    key: Key,
    fallback: Fallback,
  ): FlagValueFor<Schema['flags'][Key], Fallback>;
  useFlag<
    Key extends KeyOf<Schema['flags']>,
    Fallback extends ValueFallback<Schema['flags'][Key]> | null | undefined,
  >(key: Key, fallback: Fallback): FlagValueFor<Schema['flags'][Key], Fallback>;
  useFeedback<Type extends KeyOf<Schema['feedbackTypes']>>(
    feedbackTypeId: Type,
  ): (call: PageFeedbackCall<Extract<Schema['feedbackTypes'][Type], string>>) => Promise<DeliveryResult>;
}

/**
 * The same hooks, typed for the keys of a property.
 *
 * @example export const { useSplitTest, useFlag } = createHooks<Shop>();
 */
export function createHooks<Schema extends SwitchyardSchema>(): SwitchyardHooks<Schema> {
  // Untyped here: the schema constrains the arguments, not the behavior.
  return { useSplitTest, useTrack, useFlag, useFeedback } as unknown as SwitchyardHooks<Schema>;
}
