/** The URL of a page or file of the site. */
export function siteUrl(path: string): string {
  const root = new URL(document.documentElement.dataset.root!, location.href).href;
  return path === '' ? root : `${root}/${path}`;
}

/** The URL of the server. */
export const serverUrl = () => new URL('.', siteUrl('')).href.replace(/\/$/, '');
