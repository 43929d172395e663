import type { SplitTesting, SplitTestingOptions } from '../client/browser-client.ts';

/** Hides the page until it is ready. */
export function hideUntilReady(
  { ready }: Pick<SplitTesting, 'ready'>,
  { timeoutMs, selector = 'body', nonce = '' }: NonNullable<SplitTestingOptions['antiFlicker']>,
): void {
  const style = document.createElement('style');
  style.nonce = nonce;
  void ready(timeoutMs).then(() => style.remove());
  style.append(`${selector}{opacity:0!important}`);
  document.documentElement.append(style);
}
