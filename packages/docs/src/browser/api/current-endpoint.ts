/** Marks the endpoint that is being read in the list of endpoints, and opens its group. */
export function followEndpoints(): void {
  const list = document.querySelector<HTMLElement>('nav.pages')!;
  const links = new Map(
    [...list.querySelectorAll<HTMLAnchorElement>('.endpoints a')].map((link) => [link.hash.slice(1), link]),
  );
  let current: HTMLAnchorElement | undefined;
  // Groups that the reader has opened stay open.
  let opened: HTMLDetailsElement | undefined;
  const mark = (id: string) => {
    const link = links.get(id);
    if (link === undefined || link === current) return;
    current?.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'true');
    current = link;
    const group = link.closest('details')!;
    if (group !== opened && opened) opened.open = false;
    if (!group.open) {
      group.open = true;
      opened = group;
    } else if (group !== opened) opened = undefined;
    keepVisible(link, list);
  };
  // A line below the header: the endpoint that crosses it is the current one.
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) mark(target.id);
    },
    { rootMargin: '-20% 0px -80% 0px' },
  );
  for (const endpoint of document.querySelectorAll('section.endpoint')) observer.observe(endpoint);
  // The last endpoints may be too short to reach that line.
  addEventListener('hashchange', () => mark(location.hash.slice(1)));
  mark(location.hash.slice(1));
}

/** Scrolls only the list: `scrollIntoView` would also stop the page. */
function keepVisible(link: HTMLElement, list: HTMLElement): void {
  const { top, bottom } = link.getBoundingClientRect();
  const frame = list.getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) list.scrollTop += top - frame.top - frame.height / 3;
}
