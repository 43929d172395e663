import { Button, Group, Modal, Stack } from '@mantine/core';
import {
  type ComponentType,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { ApiProblem } from '../../api.ts';
import { LoadError } from '../../ui/page/page-states.tsx';
import type { ChangeRequest, ReviewOutcome } from './change-request.ts';
import type { ReviewSheetProps } from './review-sheet.tsx';

const loadSheet = () => import('./review-sheet.tsx').then((module) => module.ReviewSheet);

type Review = (change: ChangeRequest) => Promise<ReviewOutcome>;

const Context = createContext<Review | undefined>(undefined);

/** Opens the review sheet for a change; resolves when it is saved, proposed or cancelled. */
export function useReview(): Review {
  const review = useContext(Context);
  if (review === undefined) throw new Error('useReview is used outside of a property page');
  return review;
}

export function ReviewProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<ReviewSheetProps>();
  const current = useRef<ReviewSheetProps>(undefined);
  const show = useCallback((sheet?: ReviewSheetProps) => {
    current.current = sheet;
    setOpen(sheet);
  }, []);
  const review = useCallback<Review>(
    (change) =>
      new Promise((resolve) => {
        const sheet: ReviewSheetProps = {
          change,
          onFinish: (outcome) => {
            if (current.current === sheet) show(undefined);
            resolve(outcome);
          },
        };
        // Only one at a time: a form that was still being checked does not replace what is reviewed now.
        if (current.current) resolve({ outcome: 'cancelled' });
        else show(sheet);
      }),
    [show],
  );
  return (
    <Context value={review}>
      {children}
      {open && <LoadedSheet {...open} />}
    </Context>
  );
}

/** The sheet is not part of the first load; without a connection, the change waits until it can be loaded. */
function LoadedSheet(props: ReviewSheetProps) {
  const [Sheet, setSheet] = useState<ComponentType<ReviewSheetProps>>();
  const [attempt, setAttempt] = useState(0);
  const [hasFailed, setFailed] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads again
  useEffect(() => {
    setFailed(false);
    loadSheet().then(
      (component) => setSheet(() => component),
      () => setFailed(true),
    );
  }, [attempt]);
  if (Sheet !== undefined) return <Sheet {...props} />;
  const cancel = () => props.onFinish({ outcome: 'cancelled' });
  return (
    <Modal opened={hasFailed} onClose={cancel} title={props.change.title}>
      <Stack>
        <LoadError
          title="The change cannot be checked"
          message={new ApiProblem(0, {}).message}
          onRetry={() => setAttempt((count) => count + 1)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
