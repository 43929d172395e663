import type { SplitTest } from '../../configuration/configuration-types.ts';

/** Asks for the variation of the visitor, which records the exposure. */
export function exposureSnippet(test: SplitTest): string {
  return `const value = client.splitTest.get(${literal(test.key)}, ${fallbackOf(test)});
console.log('This visitor sees', value);`;
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
