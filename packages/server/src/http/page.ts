const NAME = 'Switchyard';

/** A small HTML page without scripts or external resources. */
export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title === NAME ? NAME : `${title} · ${NAME}`}</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1.25rem; }
  h1 { line-height: 1.2; }
  code, pre { font: 0.9em/1.5 ui-monospace, monospace; background: color-mix(in srgb, currentColor 8%, transparent); border-radius: 4px; }
  code { padding: 0.1em 0.3em; }
  pre { padding: 1rem; overflow-x: auto; }
  pre code { background: none; padding: 0; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
  tr:target { background: color-mix(in srgb, gold 25%, transparent); }
</style>
<h1>${title}</h1>
${content}
</html>
`;
}
