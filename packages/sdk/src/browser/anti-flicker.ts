import type { SplitTesting, SplitTestingOptions } from '../client/browser-client.ts';

/** Hides the page until it is ready. */
export function hideUntilReady(
  { ready }: Pick<SplitTesting, 'ready'>,
  { timeoutMs, selector = 'body' }: NonNullable<SplitTestingOptions['antiFlicker']>,
): void {
  const style = document.createElement('style');
  void ready(timeoutMs).then(() => style.remove());
  style.append(`${selector}{opacity:0!important}`);
  document.documentElement.append(style);
}
