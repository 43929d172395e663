import { Alert, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { propertyPath } from '../../api.ts';
import { Check } from '../../ui/fields/check.tsx';
import { plural } from '../../ui/format/format.ts';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { ComparisonTable } from '../../ui/lists/comparison-table.tsx';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useReview } from '../changes/review-context.tsx';
import type { Environment, Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { type ComparedLine, compareEnvironments } from './environment-differences.ts';
import { configurationIn } from './flag-configuration.ts';

const VIEW = { from: '', to: '' };

interface CompareEnvironmentsProps {
  /** As it is saved. */
  flag: Flag;
  /** Whether there are unsaved changes, which are not compared. */
  isDraft: boolean;
}

/** Two environments side by side, and promoting the configuration of one to the other. */
export function CompareEnvironments({ flag, isDraft }: CompareEnvironmentsProps) {
  const { configuration } = useProperty();
  const { environments, segments } = configuration;
  const [view, setView] = useUrlState(VIEW);
  // Usually something that was tried elsewhere goes to the first environment.
  const from = environments.find(({ id }) => id === view.from) ?? environments[1];
  const to =
    environments.find(({ id }) => id === view.to && id !== from?.id) ??
    environments.find((each) => each !== from);
  if (from === undefined || to === undefined) {
    return (
      <EmptyState title="There is only one environment">
        With a second one, such as staging, you can try a change there and promote it. Environments are added
        in the settings of the property.
      </EmptyState>
    );
  }
  const lines = compareEnvironments(flag, from.id, to.id, segments);
  const different = lines.filter(({ isSame }) => !isSame).length;
  const choices = environments.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Panel
      title="Compare environments"
      hint={isDraft ? 'Compares what is saved, without your unsaved changes.' : undefined}
    >
      <Group gap="xs" align="end" mb="sm">
        <Select
          label="From"
          data={choices}
          allowDeselect={false}
          w={180}
          value={from.id}
          onChange={(id) => setView({ from: id ?? undefined, ...(id === to.id && { to: from.id }) })}
        />
        <Select
          label="To"
          data={choices}
          allowDeselect={false}
          w={180}
          value={to.id}
          onChange={(id) => setView({ to: id ?? undefined, ...(id === from.id && { from: to.id }) })}
        />
      </Group>
      <Text size="sm" role="status" mb={6}>
        {different === 0
          ? `${from.name} and ${to.name} are the same.`
          : `${plural(different, 'line differs', 'lines differ')}.`}
      </Text>
      <ComparisonTable head={['', from.name, to.name]} rows={lines.map(rowOf)} />
      <Promotion flag={flag} from={from} to={to} isSame={different === 0} />
    </Panel>
  );
}

function rowOf({ label, from, to, isSame }: ComparedLine, index: number) {
  return {
    // Names of rules repeat.
    key: index,
    label: (
      <>
        {label}
        {!isSame && <span className="warn"> differs</span>}
      </>
    ),
    cells: [from ?? NOT_THERE, to ?? NOT_THERE],
    isMarked: !isSame,
  };
}

const NOT_THERE = <span className="dimmed">not there</span>;

interface PromotionProps {
  flag: Flag;
  from: Environment;
  to: Environment;
  isSame: boolean;
}

function Promotion({ flag, from, to, isSame }: PromotionProps) {
  const { propertyId, may } = useProperty();
  const review = useReview();
  const [withState, setWithState] = useState(true);
  const [message, setMessage] = useState('');
  const blocked = !may('editor')
    ? 'You need the editor role'
    : isSame
      ? 'There is nothing to promote'
      : undefined;
  const promote = async () => {
    const { enabled, value, rules, prerequisites } = configurationIn(flag, from.id);
    const isOn = withState ? enabled : (flag.environments[to.id]?.enabled ?? false);
    const promoted = { enabled: isOn, value, rules, prerequisites };
    const environments = { ...flag.environments, [to.id]: { ...flag.environments[to.id], ...promoted } };
    const { outcome } = await review({
      title: `Promote ${flag.name} from ${from.name} to ${to.name}`,
      confirmLabel: 'Promote',
      method: 'PATCH',
      path: propertyPath(propertyId, 'flags', flag.key),
      body: { environments: { [to.id]: promoted } },
      version: flag.version,
      item: { type: 'flag', key: flag.key },
      impact: { type: 'flag', key: flag.key, definition: { ...flag, environments } },
      environments: [to.id],
      comment: `Promoted from ${from.name}`,
    });
    if (outcome === 'saved') setMessage(`${to.name} now has the configuration of ${from.name}.`);
    if (outcome === 'proposed')
      setMessage('The promotion is proposed. It takes effect when an admin approves it.');
  };
  return (
    <>
      <Group gap="md" mt="md">
        <Check label="Also copy whether it is on" checked={withState} onChange={setWithState} />
        <ReasonButton reason={blocked} onClick={() => void promote()}>
          Promote {from.name} to {to.name}
        </ReasonButton>
        {blocked && <span className="dimmed">{blocked}</span>}
      </Group>
      {message && (
        <Alert color="blue" role="status" mt="sm" icon={<Icon name="info" />}>
          {message}
        </Alert>
      )}
    </>
  );
}
