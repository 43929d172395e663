import type { Explanation } from '@switchyard/core/api/explanations';

/** How a flag got its value or a visitor their variation, step by step. */
export function ExplanationSteps(_props: { explanation: Explanation }) {
  return null;
}
