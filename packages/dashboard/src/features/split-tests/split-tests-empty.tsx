import type { KeyList } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Snippet } from '../../ui/page/snippet.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { useLoader } from '../configuration/use-loader.ts';

/** Teaches what a split test is, and how a page takes part. */
export function SplitTestsEmpty({ action }: { action: ReactNode }) {
  const { propertyId } = useProperty();
  const { data } = useQuery({
    queryKey: ['keys', propertyId],
    queryFn: ({ signal }) => request<Static<typeof KeyList>>(propertyPath(propertyId, 'keys'), { signal }),
  });
  const loader = useLoader();
  const publicKey = data?.keys.findLast(({ kind }) => kind === 'public')?.key;
  return (
    <EmptyState
      title="No split tests yet"
      action={action}
      snippet={
        data &&
        loader && (
          <>
            {!publicKey && <p>Create a public API key first, and put it into this page:</p>}
            <Snippet
              label="page with a split test"
              code={pageOf(loader, propertyId, publicKey ?? 'service_pub_your_key')}
            />
          </>
        )
      }
    >
      <p>
        A split test shows different variations of something to comparable visitors, and tells which one
        reaches a goal more often: a headline, a price page, a whole checkout.
      </p>
      <p>
        Create one, put its key into your page as below, and start it. Until then, the page shows what it
        always showed.
      </p>
    </EmptyState>
  );
}

const pageOf = (loader: string, propertyId: string, publicApiKey: string) => `${loader}
<button id="buy">Buy</button>
<script>
  const client = switchyard.createSwitchyard({
    apiUrl: '${location.origin}',
    publicApiKey: '${publicApiKey}',
    propertyId: '${propertyId}',
  });
  client.ready().then(() => {
    document.getElementById('buy').textContent = client.splitTest.get('buy-button', 'Buy');
  });
</script>`;
