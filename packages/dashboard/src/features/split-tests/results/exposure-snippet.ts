import type { SplitTest } from '../../configuration/configuration-types.ts';

interface SnippetInput {
  test: SplitTest;
  propertyId: string;
  publicApiKey: string;
  apiUrl: string;
}

/** A page that shows each visitor their variation, and records the exposure. */
export function exposureSnippet({ test, propertyId, publicApiKey, apiUrl }: SnippetInput): string {
  const id = literal(`split-test-${test.key}`);
  return `<p id=${id}></p>
<script src="${apiUrl}/sdk.js"></script>
<script>
  const client = window.switchyard?.createSwitchyard({
    apiUrl: ${literal(apiUrl)},
    publicApiKey: ${literal(publicApiKey)},
    propertyId: ${literal(propertyId)},
  });
  client?.ready().then(() => {
    const value = client.splitTest.get(${literal(test.key)}, ${fallbackOf(test)});
    document.getElementById(${id}).textContent = ${test.type === 'json' ? 'JSON.stringify(value)' : 'value'};
  });
</script>`;
}

/** JSON in a script; `</script>` would end it. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c');
const literal = (text: string): string => inScript(JSON.stringify(text));

/** The content of the control: it is shown while the test is not running. */
function fallbackOf({ type, variations }: SplitTest): string {
  const control = variations[0];
  if (type === 'json') return inScript(control?.value ?? 'null');
  return literal((type === 'text' ? control?.value : control?.key) ?? '');
}
