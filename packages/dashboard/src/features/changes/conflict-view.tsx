import { Alert, Button, Group, Stack } from '@mantine/core';
import { applyDifferences } from '@switchyard/core/merge/differences';
import { valueAt } from '@switchyard/core/merge/json-pointer';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ApiProblem } from '../../api.ts';
import { Check } from '../../ui/fields/check.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import { cacheItem } from '../configuration/configuration-cache.ts';
import type { ItemOf, ItemType } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import type { ChangeRequest, ReviewOutcome } from './change-request.ts';
import classes from './conflict-view.module.css';

interface ConflictViewProps {
  change: ChangeRequest;
  problem: ApiProblem;
  onFinish: (outcome: ReviewOutcome) => void;
}

/** Two people changed the same fields: shows both versions side by side and goes on with the chosen ones. */
export function ConflictView({ change, problem, onFinish }: ConflictViewProps) {
  const current = problem.document.current ?? {};
  const own = (change.body ?? {}) as object;
  const conflicts = problem.document.conflicts ?? [];
  const isDocument = change.method === 'PUT' || change.isWholeDocument === true;
  const canMerge = isDocument && conflicts.length > 0 && conflicts.every((pointer) => pointer !== '');
  const isTaken = change.method === 'PUT' && change.version === undefined;
  const { propertyId } = useProperty();
  const client = useQueryClient();
  useEffect(() => {
    const item = problem.document.current as ItemOf<ItemType> | undefined;
    // The page behind this shows the current version, even if it has not heard of it yet.
    if (change.item && item) cacheItem(client, propertyId, change.item.type, change.item.key, item);
  }, [client, propertyId, change.item, problem]);
  const [kept, setKept] = useState<readonly string[]>([]);
  const finish = () => {
    const theirs = conflicts.filter((pointer) => !kept.includes(pointer));
    const changes = theirs.map((pointer) => ({ pointer, after: valueAt(current, pointer) }));
    onFinish({ outcome: 'rebased', current, merged: applyDifferences(own, changes) as object });
  };
  return (
    <Stack>
      <Alert
        color="orange"
        role="alert"
        icon={<Icon name="warning" />}
        title={isTaken ? 'This one exists already' : 'Somebody else changed this meanwhile'}
      >
        {isTaken
          ? `“${change.item?.key}” is taken. Close this and choose another one; what you entered stays.`
          : canMerge
            ? 'The same fields were changed. Choose which version of each to keep; your other changes stay.'
            : 'It is not the version that you looked at any more. Close this and look at the current version first.'}
      </Alert>
      {canMerge &&
        conflicts.map((pointer) => (
          <section key={pointer} aria-label={nameOf(pointer)}>
            <h3>{nameOf(pointer)}</h3>
            <div className={classes.sides}>
              {(['theirs', 'own'] as const).map((side) => (
                <div key={side} className={classes.side}>
                  <Check
                    kind="radio"
                    name={pointer}
                    label={side === 'own' ? 'Yours' : 'Saved by somebody else'}
                    checked={kept.includes(pointer) === (side === 'own')}
                    onChange={() =>
                      setKept(side === 'own' ? [...kept, pointer] : kept.filter((each) => each !== pointer))
                    }
                  />
                  <pre className={classes.content}>{contentOf(side === 'own' ? own : current, pointer)}</pre>
                </div>
              ))}
            </div>
          </section>
        ))}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => onFinish({ outcome: 'cancelled' })}>
          Cancel
        </Button>
        {canMerge && <Button onClick={finish}>Continue with this version</Button>}
      </Group>
    </Stack>
  );
}

/** `/environments/staging/defaultValue` → `Environments › staging › default value` */
function nameOf(pointer: string): string {
  const words = pointer
    .slice(1)
    .replaceAll(/[a-z][A-Z]/g, ([before, after]) => `${before} ${after?.toLowerCase()}`)
    .replaceAll('/', ' › ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function contentOf(item: object, pointer: string): string {
  const value = valueAt(item, pointer);
  if (value === undefined || value === null) return '(not set)';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
