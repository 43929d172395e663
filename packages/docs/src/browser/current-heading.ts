/** Marks the heading that is being read in the table of contents. */
export function followHeadings(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav.contents a')];
  if (links.length === 0) return;
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  const mark = () => {
    // The last heading above the upper quarter of the window.
    const limit = innerHeight / 4;
    let current = headings.findLastIndex((heading) => heading && heading.getBoundingClientRect().top < limit);
    if (scrollY + innerHeight >= document.documentElement.scrollHeight - 4) current = links.length - 1;
    for (const [index, link] of links.entries()) {
      if (index === Math.max(current, 0)) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      mark();
    });
  };
  addEventListener('scroll', schedule, { passive: true });
  addEventListener('resize', schedule, { passive: true });
  mark();
}
