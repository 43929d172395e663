import { Badge, Table } from '@mantine/core';
import { plural } from '../../ui/format.ts';
import { PropertyLink } from '../configuration/property-link.tsx';
import { dayOf, titleOf } from './split-test-facts.ts';
import { SplitTestOutcome } from './split-test-outcome.tsx';
import { SplitTestStatus } from './split-test-status.tsx';
import classes from './split-test-table.module.css';
import type { ListedTest } from './use-split-test-list.ts';
import { attentionOf, visitorWords } from './verdict-words.ts';

export function SplitTestTable({ listed }: { listed: readonly ListedTest[] }) {
  return (
    <div className={classes.frame}>
      <Table verticalSpacing={8} aria-label="Split tests">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Primary goal</Table.Th>
            <Table.Th className={classes.secondary}>Progress</Table.Th>
            <Table.Th className={classes.secondary}>Owner</Table.Th>
            <Table.Th className={classes.secondary}>Tags</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {listed.map((each) => (
            <Row key={each.test.key} listed={each} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Row({ listed }: { listed: ListedTest }) {
  const { test, results } = listed;
  const attention = attentionOf(results?.data);
  return (
    <Table.Tr>
      <Table.Td className={classes.name}>
        <PropertyLink to={`split-tests/${encodeURIComponent(test.key)}`}>{titleOf(test)}</PropertyLink>
        <div className={classes.key}>{test.key}</div>
      </Table.Td>
      <Table.Td>
        <SplitTestStatus test={test} />
        {attention !== 'none' && (
          <div className={attention === 'decide' ? classes.decide : 'bad'}>
            {attention === 'decide' ? 'Needs decision' : 'Needs a look'}
          </div>
        )}
      </Table.Td>
      <Table.Td>
        <SplitTestOutcome listed={listed} />
      </Table.Td>
      <Table.Td className={classes.secondary}>
        <Progress listed={listed} />
      </Table.Td>
      <Table.Td className={`${classes.secondary} ${classes.owner}`}>{test.owner}</Table.Td>
      <Table.Td className={classes.secondary}>
        <div className={classes.tags}>
          {test.tags.map((tag) => (
            <Badge key={tag} variant="default" size="sm" tt="none">
              {tag}
            </Badge>
          ))}
        </div>
      </Table.Td>
    </Table.Tr>
  );
}

function Progress({ listed: { test, results } }: { listed: ListedTest }) {
  const day = dayOf(test);
  if (day === undefined) return null;
  return (
    <>
      {test.phases.at(-1)?.endedAt === null ? `Day ${day}` : `Ran ${plural(day, 'day')}`}
      {results?.data && <div className="dimmed">{visitorWords(results.data, test.plannedVisitors)}</div>}
    </>
  );
}
