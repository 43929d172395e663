import { ActionIcon } from '@mantine/core';
import { useId, useState } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { summaryLines } from '../changes/summary-lines.ts';
import { COLLECTIONS } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './change-list.module.css';
import { DifferenceTable } from './difference-table.tsx';
import { ENTITY_NOUNS, pageOf } from './history-words.ts';
import { ProposalActions } from './proposal-actions.tsx';
import { proposedDifferences, proposedItem } from './proposed-differences.ts';
import { type Proposal, useProposal } from './use-proposals.ts';

/** A proposed change: who wants what and why; opens to the values now and then. */
export function ProposalEntry({ proposal }: { proposal: Proposal }) {
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const { key, author, createdAt, comment, summary, state, decidedBy, decidedAt } = proposal;
  const type = typeOf(proposal);
  const noun = ENTITY_NOUNS[type] ?? type;
  return (
    <li className={classes.entry}>
      <div className={classes.head}>
        <ActionIcon
          className={classes.expand}
          variant="subtle"
          color="gray"
          size="sm"
          aria-expanded={isOpen}
          aria-controls={detailsId}
          aria-label={`Details of the proposal of ${author.name} for ${noun} ${key}`}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="chevron" size={14} />
        </ActionIcon>
        <div className={classes.title}>
          <p>
            <strong>{author.name}</strong> {VERBS[proposal.method]} {noun}{' '}
            <ItemLink type={type} itemKey={key} />{' '}
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
        </div>
        {state === 'open' && <ProposalActions proposal={proposal} />}
      </div>
      <div id={detailsId} className={isOpen ? classes.details : undefined}>
        {isOpen && <ProposalDetails proposal={proposal} />}
      </div>
    </li>
  );
}

const VERBS = { PUT: 'wants to replace', PATCH: 'wants to change', DELETE: 'wants to delete' };

function typeOf({ collection }: Proposal): string {
  const found = Object.entries(COLLECTIONS).find(([, { path }]) => path === collection);
  return found?.[0] ?? collection;
}

function ItemLink({ type, itemKey }: { type: string; itemKey: string }) {
  const page = pageOf(useProperty().configuration, { type, key: itemKey });
  if (page === undefined) return <span className={classes.name}>{itemKey}</span>;
  return (
    <PropertyLink to={page[0]} className={classes.name}>
      {itemKey}
    </PropertyLink>
  );
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
