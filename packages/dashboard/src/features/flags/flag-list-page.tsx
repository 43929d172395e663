import { Button, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { messageOf } from '../../api.ts';
import { plural } from '../../ui/format/format.ts';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { lazyPart } from '../../ui/page/lazy-part.ts';
import { Page } from '../../ui/page/page.tsx';
import { LoadError } from '../../ui/page/page-states.tsx';
import { NewItemButton } from '../changes/new-item-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { FlagFilterBar } from './flag-filter-bar.tsx';
import { FLAG_FILTERS, filterFlags } from './flag-filters.ts';
import { FlagSnippets } from './flag-snippets.tsx';
import { NewFlagPage } from './new-flag-page.tsx';
import { staleReason, useFlagUsage } from './use-flag-usage.ts';
import { useLastChanges } from './use-last-changes.ts';

const FlagTable = lazyPart(() => import('./flag-table.tsx').then((module) => module.FlagTable));

/** All flags of the property; `?new=1` is the form for a new one. */
export function FlagListPage() {
  const [filters, setFilters] = useUrlState(FLAG_FILTERS);
  if (filters.new === '') return <FlagList filters={filters} onFilter={setFilters} />;
  return <NewFlagPage />;
}

interface FlagListProps {
  filters: Record<keyof typeof FLAG_FILTERS, string>;
  onFilter: (changes: Partial<FlagListProps['filters']>) => void;
}

function FlagList({ filters, onFilter }: FlagListProps) {
  const { configuration } = useProperty();
  const usage = useFlagUsage();
  const lastChanges = useLastChanges();
  const [message, setMessage] = useState('');
  const { flags } = configuration;
  const shown = useMemo(
    () => filterFlags(flags, filters, ({ key }) => staleReason(usage.byKey.get(key)) !== undefined),
    [flags, filters, usage.byKey],
  );
  const newFlag = <NewItemButton onClick={() => onFilter({ new: '1' })}>New flag</NewItemButton>;
  return (
    <Page title="Flags" actions={newFlag}>
      {flags.length === 0 ? (
        <EmptyState title="No flags yet" snippet={<FlagSnippets flag={EXAMPLE} />}>
          A flag decides while your code runs whether a feature is on, and for whom: everyone, a percentage,
          or visitors with certain attributes. Create one with “New flag”, then ask for it in your code.
        </EmptyState>
      ) : (
        <>
          <FlagFilterBar filters={filters} onChange={onFilter} />
          <Text size="sm" c="dimmed" role="status">
            {shown.length === flags.length
              ? plural(flags.length, 'flag')
              : `${shown.length} of ${plural(flags.length, 'flag')}`}
            {message && ` · ${message}`}
          </Text>
          <PartError query={usage.query} what="how flags are used" />
          <PartError query={lastChanges.query} what="when flags were changed" />
          {shown.length === 0 ? (
            <EmptyState
              title="No flag matches"
              action={
                <Button variant="default" onClick={() => onFilter({ ...FLAG_FILTERS })}>
                  Clear filters
                </Button>
              }
            >
              Try other words or fewer filters.
            </EmptyState>
          ) : (
            <Suspense fallback={<Skeleton height={240} />}>
              <FlagTable
                flags={shown}
                usage={usage.byKey}
                lastChanges={lastChanges.byKey}
                onMessage={setMessage}
              />
            </Suspense>
          )}
        </>
      )}
    </Page>
  );
}

interface PartErrorProps {
  query: Pick<UseQueryResult, 'error' | 'refetch'>;
  what: string;
}

/** A column that could not be loaded; the others are there. */
function PartError({ query: { error, refetch }, what }: PartErrorProps) {
  if (!error) return null;
  return (
    <LoadError title={`Cannot load ${what}`} message={messageOf(error)} onRetry={() => void refetch()} />
  );
}

const EXAMPLE = { key: 'new-checkout', type: 'boolean', defaultValue: false } as const;
