import { Text } from '@mantine/core';
import { propertyPath } from '../../api.ts';
import { Panel } from '../../ui/panel.tsx';
import { ReasonButton } from '../../ui/reason-button.tsx';
import { useReview } from '../changes/review-context.tsx';
import type { Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { flagReferences } from './flag-references.ts';

/** Deletes a flag that no other flag needs, after a review. */
export function DeleteFlagPanel({ flag }: { flag: Flag }) {
  const { propertyId, configuration, may } = useProperty();
  const review = useReview();
  const navigate = usePropertyNavigate();
  const references = flagReferences(configuration, flag.key);
  const blocked = !may('admin')
    ? 'You need the admin role'
    : references.length > 0
      ? 'Other flags need it as a prerequisite'
      : undefined;
  const remove = async () => {
    const { outcome } = await review({
      title: `Delete flag ${flag.name}`,
      confirmLabel: 'Delete',
      isDestructive: true,
      method: 'DELETE',
      path: propertyPath(propertyId, 'flags', flag.key),
      version: flag.version,
      item: { type: 'flag', key: flag.key },
      impact: { type: 'flag', key: flag.key, definition: null },
      environments: Object.keys(flag.environments),
    });
    if (outcome === 'saved') navigate('flags');
  };
  return (
    <Panel title="Delete">
      {references.length > 0 && (
        <>
          <Text size="sm">Prerequisite of:</Text>
          <ul className="bullets">
            {references.map(({ key, name, environments }) => (
              <li key={key}>
                <PropertyLink to={`flags/${encodeURIComponent(key)}`}>{name}</PropertyLink> in{' '}
                {environments.join(', ')}
              </li>
            ))}
          </ul>
        </>
      )}
      <Text size="sm" c="dimmed" mb="xs">
        Code that asks for a deleted flag gets the fallback in the code.
      </Text>
      <ReasonButton
        size="xs"
        variant="default"
        c={blocked ? undefined : 'var(--sy-bad)'}
        reason={blocked}
        onClick={() => void remove()}
      >
        Delete flag
      </ReasonButton>
      {blocked && (
        <Text size="sm" c="dimmed">
          {blocked}
        </Text>
      )}
    </Panel>
  );
}
