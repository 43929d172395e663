import type { SplitTestingOptions } from '../client/browser-client.ts';

/** Hides the page until it is ready, but never for longer than the timeout. */
export function hideUntil(
  ready: Promise<void>,
  { timeoutMs = 1000, selector = 'body' }: NonNullable<SplitTestingOptions['antiFlicker']>,
): void {
  const style = document.createElement('style');
  const show = () => style.remove();
  setTimeout(show, timeoutMs);
  void ready.then(show);
  style.append(`${selector}{opacity:0!important}`);
  document.documentElement.append(style);
}
