import { Button } from '@mantine/core';
import { useState } from 'react';
import { propertyPath, queryText } from '../../api.ts';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { EraseDialog } from './erase-dialog.tsx';

interface PersonActionsProps {
  kind: 'visitor' | 'user' | 'session';
  id: string;
}

/** Exports or erases everything about somebody. */
export function PersonActions({ kind, id }: PersonActionsProps) {
  const { propertyId, may, missingRole } = useProperty();
  const [isErasing, setErasing] = useState(false);
  const person = { [`${kind}Id`]: id };
  return (
    <>
      {may('admin') && (
        <Button
          component="a"
          href={`${propertyPath(propertyId, 'person')}${queryText(person)}`}
          download="person.json"
          variant="default"
        >
          Export {kind}
        </Button>
      )}
      <ReasonButton variant="default" reason={missingRole('admin')} onClick={() => setErasing(true)}>
        Erase {kind}
      </ReasonButton>
      {isErasing && (
        <EraseDialog
          subject={{ kind, asked: `${kind} id`, name: id, body: person }}
          onClose={() => setErasing(false)}
        />
      )}
    </>
  );
}
