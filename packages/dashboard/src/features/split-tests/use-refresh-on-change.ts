import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useProperty } from '../configuration/property-context.tsx';
import type { ReportedTest } from './reported-test.ts';

/** A test that was stopped or changed has other words in its verdict, also if it was changed beside the results. */
export function useRefreshOnChange(test: Pick<ReportedTest, 'version'>): void {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  const known = useRef(test.version);
  useEffect(() => {
    if (known.current === test.version) return;
    known.current = test.version;
    for (const name of ['results', 'split-test-verdict']) {
      void client.invalidateQueries({ queryKey: [name, propertyId] });
    }
  }, [client, propertyId, test.version]);
}
