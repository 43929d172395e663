import { Choice } from '../../ui/fields/choice.tsx';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ProposalEntry } from './proposal-entry.tsx';
import { type ProposalState, useProposals } from './use-proposals.ts';

const URL_DEFAULTS = { state: 'open' } as const;
const STATES: { value: ProposalState; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
];

/** Changes of protected environments by editors, which an admin approves or rejects. */
export function ProposalList() {
  const [url, change] = useUrlState(URL_DEFAULTS);
  const state = STATES.find(({ value }) => value === url.state)?.value ?? 'open';
  const proposals = useProposals(state);
  return (
    <Panel
      title="Proposals"
      hint="In a protected environment, a change by an editor waits here for an admin. Nobody approves their own."
      actions={
        <Choice
          label="State of the proposals"
          options={STATES}
          value={state}
          onChange={(value) => change({ state: value })}
        />
      }
    >
      <Loaded query={proposals} what="the proposals">
        {({ proposals: list }) =>
          list.length === 0 ? (
            <EmptyState title={`No ${state} proposals`}>
              {state === 'open' && (
                <>
                  Protect an environment in the{' '}
                  <PropertyLink to="settings" search={{ tab: 'environments' }}>
                    settings
                  </PropertyLink>{' '}
                  if changes there need a second pair of eyes.
                </>
              )}
            </EmptyState>
          ) : (
            <ol>
              {list.map((proposal) => (
                <ProposalEntry key={proposal.id} proposal={proposal} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  );
}
