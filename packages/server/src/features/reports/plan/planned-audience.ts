import { Audience } from '@switchyard/core/api/audience';
import { checkAudience } from '@switchyard/core/evaluation/audience-checks';
import { type AudienceInForce, audienceInForce } from '@switchyard/core/lifecycle/phases';
import type { PropertyConfiguration } from '../../../configuration/property/property-configuration.ts';
import { createRequestValidation, invalidFields } from '../../../http/contract/validation.ts';
import { invalidField } from '../../../platform/errors/errors.ts';
import { compileRuleRegex } from '../../../platform/rule-regex.ts';

const Wrapped = { type: 'object', properties: { audience: Audience } };
let checkShape: ReturnType<ReturnType<typeof createRequestValidation>> | undefined;

/** The audience of a query, checked like that of a test that is saved; undefined for all visitors. */
export function plannedAudience(
  text: string | undefined,
  { segments }: Pick<PropertyConfiguration, 'segments'>,
): AudienceInForce | undefined {
  if (text === undefined) return undefined;
  const body = { audience: parsed(text) };
  checkShape ??= createRequestValidation()({ body: Wrapped });
  checkShape({ params: {}, query: {}, headers: {}, body });
  const audience = body.audience as Audience;
  const rules = { regex: compileRuleRegex, segments };
  const mistakes = checkAudience(audience, '/audience/conditions', rules);
  if (mistakes.length > 0) {
    throw invalidFields(
      mistakes.map(({ path, message }) => ({ pointer: path, code: 'invalid', detail: message })),
    );
  }
  return audienceInForce(audience, segments);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField('/audience', 'must be JSON, like the audience of a split test');
  }
}
