import type { KeyList } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../../api.ts';
import { useProperty } from '../../configuration/property-context.tsx';

const PLACEHOLDER = 'service_pub_your_key';

/** The newest public key of the property, for snippets that work as pasted. */
export function usePublicKey() {
  const { propertyId } = useProperty();
  return useQuery({
    queryKey: ['public-key', propertyId],
    queryFn: async ({ signal }) => {
      const path = propertyPath(propertyId, 'keys');
      const { keys } = await request<Static<typeof KeyList>>(path, { signal });
      return keys.findLast(({ kind }) => kind === 'public')?.key ?? PLACEHOLDER;
    },
  });
}
