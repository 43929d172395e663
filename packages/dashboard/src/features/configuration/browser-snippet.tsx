import type { KeyList } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { Snippet } from '../../ui/snippet.tsx';
import { useProperty } from './property-context.tsx';

/** The newest public key of the property; a placeholder while there is none. */
function usePublicKey(): string {
  const { propertyId } = useProperty();
  const { data } = useQuery({
    queryKey: ['keys', propertyId],
    queryFn: ({ signal }) => request<Static<typeof KeyList>>(propertyPath(propertyId, 'keys'), { signal }),
  });
  return data?.keys.findLast(({ kind }) => kind === 'public')?.key ?? 'service_pub_…';
}

/** Loads the browser SDK; `use` is code that runs once it is ready. */
export function BrowserSnippet({ use = '' }: { use?: string }) {
  const { propertyId } = useProperty();
  const publicKey = usePublicKey();
  const server = location.origin;
  const then =
    use === '' ? '' : `\n  client?.ready().then(() => {\n    ${use.replaceAll('\n', '\n    ')}\n  });`;
  const code = `<script src="${server}/sdk.js"></script>
<script>
  const client = window.switchyard?.createSwitchyard({
    apiUrl: '${server}',
    publicApiKey: '${publicKey}',
    propertyId: '${propertyId}',
  });${then}
</script>`;
  return <Snippet label="the snippet for your pages" code={code} />;
}
