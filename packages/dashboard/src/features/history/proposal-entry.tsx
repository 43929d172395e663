import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { ExpandableEntry } from '../../ui/lists/expandable-entry.tsx';
import { Loaded } from '../../ui/page/panel.tsx';
import { summaryLines } from '../changes/summary-lines.ts';
import { COLLECTIONS } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './change-list.module.css';
import { DifferenceTable } from './difference-table.tsx';
import { ENTITY_NOUNS } from './history-words.ts';
import { ItemLink } from './item-link.tsx';
import { ProposalActions } from './proposal-actions.tsx';
import { proposedDifferences, proposedItem } from './proposed-differences.ts';
import { type Proposal, useProposal } from './use-proposals.ts';

/** A proposed change: who wants what and why; opens to the values now and then. */
export function ProposalEntry({ proposal }: { proposal: Proposal }) {
  const { key, author, createdAt, comment, summary, state, decidedBy, decidedAt } = proposal;
  const type = typeOf(proposal);
  const noun = ENTITY_NOUNS[type] ?? type;
  return (
    <ExpandableEntry
      label={`Details of the proposal of ${author.name} for ${noun} ${key}`}
      actions={state === 'open' && <ProposalActions proposal={proposal} />}
      details={<ProposalDetails proposal={proposal} />}
    >
      {() => (
        <>
          <p>
            <strong>{author.name}</strong> {VERBS[proposal.method]} {noun}{' '}
            <ItemLink entity={{ type, key }} name={key} />{' '}
            <span className="dimmed">
              · <RelativeTime at={createdAt} />
            </span>
          </p>
          <ul className="bullets">
            {summaryLines(summary, { type, key }).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          {comment && <p className={`dimmed ${classes.comment}`}>“{comment}”</p>}
          {state !== 'open' && (
            <p>
              <span className={state === 'approved' ? 'good' : 'bad'}>
                {state === 'approved' ? 'Approved' : 'Rejected'}
              </span>{' '}
              by {decidedBy} {decidedAt !== null && <RelativeTime at={decidedAt} />}
            </p>
          )}
        </>
      )}
    </ExpandableEntry>
  );
}

const VERBS = { PUT: 'wants to replace', PATCH: 'wants to change', DELETE: 'wants to delete' };

function typeOf({ collection }: Proposal): string {
  const found = Object.entries(COLLECTIONS).find(([, { path }]) => path === collection);
  return found?.[0] ?? collection;
}

/** An open proposal is compared with the item as it is now, a closed one with what its author saw. */
function ProposalDetails({ proposal }: { proposal: Proposal }) {
  const { configuration } = useProperty();
  const query = useProposal(proposal);
  const isOpen = proposal.state === 'open';
  return (
    <Loaded query={query} what="the proposal">
      {(whole) => {
        const state = isOpen ? proposedItem(configuration, whole) : (whole.base ?? undefined);
        if (whole.method === 'DELETE' && state === undefined) {
          return <p className="dimmed">What it had is in the entry of its deletion in the history.</p>;
        }
        return (
          <DifferenceTable
            changes={proposedDifferences(state, whole)}
            labels={{ before: isOpen ? 'Now' : 'Before', after: 'Proposed' }}
            side={state === undefined ? 'after' : undefined}
          />
        );
      }}
    </Loaded>
  );
}
