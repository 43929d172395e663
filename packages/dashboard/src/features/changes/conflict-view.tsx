import { Alert, Button, Group, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ApiProblem } from '../../api.ts';
import '../../ui/mantine-form-styles.ts';
import { Icon } from '../../ui/icon.tsx';
import type { ChangeRequest, ReviewOutcome } from './change-request.ts';
import classes from './conflict-view.module.css';
import { copyPointers, valueAt } from './json-pointers.ts';

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
  const canMerge = isDocument && conflicts.every((pointer) => pointer !== '');
  const [kept, setKept] = useState<readonly string[]>([]);
  const finish = () => {
    const theirs = conflicts.filter((pointer) => !kept.includes(pointer));
    onFinish({ outcome: 'rebased', current, merged: copyPointers(own, current, theirs) });
  };
  return (
    <Stack>
      <Alert
        color="orange"
        role="alert"
        icon={<Icon name="warning" />}
        title="Somebody else changed this meanwhile"
      >
        {canMerge
          ? 'The same fields were changed. Choose which version of each to keep; your other changes stay.'
          : 'It is not the version that you looked at any more. Close this and look at the current version first.'}
      </Alert>
      {canMerge &&
        conflicts.map((pointer) => (
          <Radio.Group
            key={pointer}
            label={pointer.slice(1).replaceAll('/', ' › ')}
            value={kept.includes(pointer) ? 'own' : 'theirs'}
            onChange={(value) =>
              setKept(value === 'own' ? [...kept, pointer] : kept.filter((each) => each !== pointer))
            }
          >
            <div className={classes.sides}>
              <Side value="theirs" label="Saved by somebody else" content={valueAt(current, pointer)} />
              <Side value="own" label="Yours" content={valueAt(own, pointer)} />
            </div>
          </Radio.Group>
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

function Side({ value, label, content }: { value: string; label: string; content: unknown }) {
  return (
    <div className={classes.side}>
      <Radio value={value} label={label} />
      <pre className={classes.content}>
        {content === undefined ? '(not set)' : JSON.stringify(content, null, 2)}
      </pre>
    </div>
  );
}
