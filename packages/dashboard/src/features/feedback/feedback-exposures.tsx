import type { SessionDetail } from '@switchyard/core/api/sessions';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { Loaded } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { findReported } from '../split-tests/reported-tests.ts';
import { TestLink } from '../split-tests/test-link.tsx';

interface FeedbackExposuresProps {
  sessionId: string;
  /** When the feedback was given. */
  until: number;
}

/** The variations that the visitor had seen in the session. */
export function FeedbackExposures({ sessionId, until }: FeedbackExposuresProps) {
  const { propertyId } = useProperty();
  const query = useQuery({
    queryKey: ['session', propertyId, sessionId, 'exposures'],
    queryFn: ({ signal }) =>
      request<SessionDetail>(`/v1/sessions/${encodeURIComponent(sessionId)}`, {
        query: { propertyId, limit: 1 },
        signal,
      }),
  });
  return (
    <Loaded query={query} what="the session" height={40}>
      {({ exposures }) => {
        const before = exposures.filter(({ at }) => at <= until);
        if (before.length === 0) return <p className="dimmed">No split test before this feedback.</p>;
        return (
          <ul className="bullets">
            {before.map(({ splitTestKey, variationKey }) => (
              <li key={`${splitTestKey} ${variationKey}`}>
                <SeenTest testKey={splitTestKey} />: {variationKey}
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}

/** A test that was deleted since has no page. */
function SeenTest({ testKey }: { testKey: string }) {
  const test = findReported(useProperty().configuration, testKey);
  return test === undefined ? testKey : <TestLink test={test} />;
}
