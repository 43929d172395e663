import type { KeyList } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { Loaded } from '../../ui/page/panel.tsx';
import { Snippet } from '../../ui/page/snippet.tsx';
import { useProperty } from './property-context.tsx';
import { PropertyLink } from './property-link.tsx';
import { useLoader } from './use-loader.ts';

/** Loads the browser SDK; `use` is code that runs once it is ready. */
export function BrowserSnippet({ use = '' }: { use?: string }) {
  const { propertyId } = useProperty();
  const keys = useQuery({
    queryKey: ['keys', propertyId],
    queryFn: ({ signal }) => request<Static<typeof KeyList>>(propertyPath(propertyId, 'keys'), { signal }),
  });
  const loader = useLoader();
  const server = location.origin;
  const then =
    use === '' ? '' : `\n  client.ready().then(() => {\n    ${use.replaceAll('\n', '\n    ')}\n  });`;
  const code = (publicKey: string) => `${loader}
<script>
  const client = switchyard.createSwitchyard({
    apiUrl: '${server}',
    publicApiKey: '${publicKey}',
    propertyId: '${propertyId}',
  });${then}
</script>`;
  return (
    <Loaded query={keys} what="the public key">
      {({ keys: all }) => {
        const newest = all.findLast(({ kind }) => kind === 'public')?.key;
        if (!newest) {
          return (
            <p>
              <PropertyLink to="keys">Create a public key</PropertyLink> first.
            </p>
          );
        }
        return loader && <Snippet label="the snippet for your pages" code={code(newest)} />;
      }}
    </Loaded>
  );
}
