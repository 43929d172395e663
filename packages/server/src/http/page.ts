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

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * @param sdkPath immutable URL path of the browser SDK
 * @param address URL of this server, possibly taken from a forged `Host` header
 */
export function homePage(sdkPath: string, address: string): string {
  const server = escaped(address);
  return page(
    NAME,
    `<p>Split tests, feature flags, goals and feedback on top of browser sessions, self-hosted. The server is running.</p>
<ul>
  <li><a href="/docs">API reference</a>: try every endpoint in the browser</li>
  <li><a href="/docs/errors">Error codes</a></li>
  <li><a href="/openapi.json">OpenAPI document</a></li>
  <li><a href="/readyz">Readiness</a></li>
</ul>
<p>Define the tests, flags, goals, feedback types and keys of a property in a file, and apply it from the command line:</p>
<pre><code>npx switchyard export &gt; switchyard.yaml
npx switchyard plan switchyard.yaml
npx switchyard apply switchyard.yaml</code></pre>
<p>Use it in a web page with the public key of your property:</p>
<pre><code>&lt;script src="${server}${sdkPath}"&gt;&lt;/script&gt;
&lt;script&gt;
  const client = window.switchyard?.createSwitchyard({
    apiUrl: '${server}',
    publicApiKey: 'service_pub_…',
    propertyId: 'demo',
  });
  client?.ready().then(() =&gt; {
    const button = document.querySelector('button');
    button.textContent = client.splitTest.get('buy-button', 'Buy');
  });
&lt;/script&gt;</code></pre>
<p><a href="/sdk.js">/sdk.js</a> is the same script under a stable URL, cached for five minutes.</p>`,
  );
}
