import { useMemo } from 'react';
import { PeriodPicker } from '../../ui/fields/period-picker.tsx';
import { useListPeriod } from '../../ui/hooks/use-list-period.ts';
import { usePeriod } from '../../ui/hooks/use-period.ts';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { ErasureProgress } from './erasure-progress.tsx';
import { SessionFilterBar } from './session-filter-bar.tsx';
import { SessionList } from './session-list.tsx';
import { SessionsEmpty } from './sessions-empty.tsx';
import { useSessionFilters } from './use-session-filters.ts';

/** Every visit, newest first. */
export function SessionListPage() {
  const { filters, change, clear, isFiltered } = useSessionFilters();
  const [period] = usePeriod();
  const { from, to } = useListPeriod(period);
  const query = useMemo(() => ({ ...filters, from, to }), [filters, from, to]);
  return (
    <Page title="Sessions" actions={<PeriodPicker />}>
      <ErasureProgress />
      <SessionFilterBar filters={filters} onChange={change} {...(isFiltered && { onClear: clear })} />
      <Panel title="Newest first" flush hint={period.label}>
        <SessionList
          query={query}
          empty={isFiltered ? 'No session of this period matches the filters.' : <SessionsEmpty />}
        />
      </Panel>
    </Page>
  );
}
