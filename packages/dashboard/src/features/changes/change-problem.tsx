import { Alert } from '@mantine/core';
import { ApiProblem, messageOf } from '../../api.ts';
import { Icon } from '../../ui/page/icon.tsx';

/** Why a change was refused, with all invalid fields and the items that still refer to it. */
export function ChangeProblem({ problem }: { problem: Error }) {
  const fields = problem instanceof ApiProblem ? problem.fields : [];
  const references = problem instanceof ApiProblem ? (problem.document.references ?? []) : [];
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />} title="The change was not saved">
      {fields.length > 1 ? (
        <ul className="bullets">
          {fields.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              {pointer.slice(1).replaceAll('/', ' › ')} {detail}
            </li>
          ))}
        </ul>
      ) : (
        messageOf(problem)
      )}
      {references.length > 0 && (
        <ul className="bullets">
          {references.map(({ type, key }) => (
            <li key={type + key}>
              {type.replace('-', ' ')} “{key}”
            </li>
          ))}
        </ul>
      )}
    </Alert>
  );
}
