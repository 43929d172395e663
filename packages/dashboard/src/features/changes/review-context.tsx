import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from 'react';
import type { ChangeRequest, ReviewOutcome } from './change-request.ts';

const ReviewSheet = lazy(() =>
  import('./review-sheet.tsx').then((module) => ({ default: module.ReviewSheet })),
);

type Review = (change: ChangeRequest) => Promise<ReviewOutcome>;

const Context = createContext<Review | undefined>(undefined);

/** Opens the review sheet for a change; resolves when it is saved, proposed or cancelled. */
export function useReview(): Review {
  const review = useContext(Context);
  if (review === undefined) throw new Error('useReview is used outside of a property page');
  return review;
}

export function ReviewProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<{ change: ChangeRequest; finish: (outcome: ReviewOutcome) => void }>();
  const review = useCallback<Review>(
    (change) =>
      new Promise((resolve) => {
        const finish = (outcome: ReviewOutcome) => {
          setOpen(undefined);
          resolve(outcome);
        };
        setOpen({ change, finish });
      }),
    [],
  );
  return (
    <Context value={review}>
      {children}
      {open && (
        <Suspense>
          <ReviewSheet change={open.change} onFinish={open.finish} />
        </Suspense>
      )}
    </Context>
  );
}
