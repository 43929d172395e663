import { Alert, List } from '@mantine/core';
import { ApiProblem, messageOf } from '../../api.ts';
import { Icon } from '../../ui/icon.tsx';

/** Why a change was refused, with all invalid fields and the items that still refer to it. */
export function ChangeProblem({ problem }: { problem: Error }) {
  const fields = problem instanceof ApiProblem ? problem.fields : [];
  const references = problem instanceof ApiProblem ? (problem.document.references ?? []) : [];
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />} title="The change was not saved">
      {fields.length > 1 ? (
        <List size="sm">
          {fields.map(({ pointer, detail }) => (
            <List.Item key={pointer + detail}>
              {pointer.slice(1).replaceAll('/', ' › ')} {detail}
            </List.Item>
          ))}
        </List>
      ) : (
        messageOf(problem)
      )}
      {references.length > 0 && (
        <List size="sm">
          {references.map(({ type, key }) => (
            <List.Item key={type + key}>
              {type.replace('-', ' ')} “{key}”
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
