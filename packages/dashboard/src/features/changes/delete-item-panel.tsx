import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { propertyPath } from '../../api.ts';
import { Panel } from '../../ui/page/panel.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { COLLECTIONS } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { useReview } from './review-context.tsx';
import { type ItemUse, UseLinks } from './use-links.tsx';

interface DeleteItemPanelProps {
  type: 'flag' | 'segment' | 'goal' | 'metric' | 'feedback-type';
  item: { id: string; name?: string; version: number; environments?: object };
  /** What still needs the item: it cannot be deleted before. */
  uses: readonly ItemUse[];
  /** The page to go to afterwards. */
  list: string;
  /** What follows from deleting it. */
  children: ReactNode;
}

/** Deletes an item that nothing else needs, after a review. */
export function DeleteItemPanel({ type, item, uses, list, children }: DeleteItemPanelProps) {
  const { propertyId, may } = useProperty();
  const review = useReview();
  const navigate = usePropertyNavigate();
  const noun = type.replace('-', ' ');
  const blocked = !may('admin')
    ? 'You need the admin role'
    : uses.length > 0
      ? 'It is still in use, see above'
      : undefined;
  const remove = async () => {
    const { outcome } = await review({
      title: `Delete ${noun} ${item.name || item.id}`,
      confirmLabel: 'Delete',
      isDestructive: true,
      method: 'DELETE',
      path: propertyPath(propertyId, COLLECTIONS[type].path, item.id),
      version: item.version,
      item: { type, key: item.id },
      ...((type === 'segment' || type === 'flag') && { impact: { type, key: item.id, definition: null } }),
      ...(item.environments && { environments: Object.keys(item.environments) }),
    });
    if (outcome === 'saved') navigate(list);
  };
  return (
    <Panel title="Where it is used">
      <ItemUses uses={uses} />
      <Text size="sm" c="dimmed" my="xs">
        {children}
      </Text>
      <ReasonButton
        size="xs"
        variant="default"
        c={blocked ? undefined : 'var(--sy-bad)'}
        reason={blocked}
        onClick={() => void remove()}
      >
        Delete {noun}
      </ReasonButton>
      {blocked && (
        <Text size="sm" c="dimmed">
          {blocked}
        </Text>
      )}
    </Panel>
  );
}

function ItemUses({ uses }: Pick<DeleteItemPanelProps, 'uses'>) {
  if (uses.length === 0) return <Text size="sm">Nowhere.</Text>;
  return (
    <ul className="bullets">
      <UseLinks uses={uses} />
    </ul>
  );
}
