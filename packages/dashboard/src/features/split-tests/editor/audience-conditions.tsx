import type { Audience } from '@switchyard/core/api/audience';
import { Fragment } from 'react';
import { useProperty } from '../../configuration/property-context.tsx';
import { ConditionListEditor } from '../../targeting/condition-list-editor.tsx';
import { PAGE_ATTRIBUTES } from './audience-attributes.ts';
import classes from './audience-conditions.module.css';
import { publishedConditions } from './published-conditions.ts';
import type { SplitTestForm } from './use-split-test-form.ts';

interface AudienceConditionsProps {
  form: SplitTestForm;
  audience: Audience;
  disabled: boolean;
}

/** The conditions of an audience, and what everybody learns from them. */
export function AudienceConditions({ form, audience, disabled }: AudienceConditionsProps) {
  const { match = 'all', conditions } = audience;
  return (
    <div className={classes.audience}>
      <ConditionListEditor
        conditions={conditions}
        match={match}
        pointer="/audience/conditions"
        errors={form.errorAt}
        attributes={PAGE_ATTRIBUTES}
        disabled={disabled}
        emptyText="Add a condition: who meets it takes part."
        onChange={(list) =>
          form.change({ audience: { match: list.match ?? 'all', conditions: list.conditions } })
        }
      />
      {conditions.length > 0 && <PublishedNote audience={audience} />}
      <details>
        <summary>What pages know by themselves</summary>
        <dl className={classes.attributes}>
          {Object.entries(PAGE_ATTRIBUTES).map(([name, meaning]) => (
            <Fragment key={name}>
              <dt>
                <code>{name.replace(/\.$/, '.…')}</code>
              </dt>
              <dd>{meaning}</dd>
            </Fragment>
          ))}
        </dl>
        <p className="dimmed">
          Your pages set every other attribute, with <code>setAttributes</code>. Without the attribute, a
          visitor meets no condition on it but “is not set”. Who has taken part once stays in the test.
        </p>
      </details>
    </div>
  );
}

/** Pages evaluate the conditions, so they are no place for secrets. */
function PublishedNote({ audience }: { audience: Audience }) {
  const { segments } = useProperty().configuration;
  const { readable, hashed, segments: used } = publishedConditions(audience, segments);
  const names = used.map((id) => segments.find((segment) => segment.id === id)?.name || id);
  return (
    <p className="dimmed" role="status">
      Pages contain these conditions
      {names.length > 0 && `, with those of the ${names.length > 1 ? 'segments' : 'segment'} `}
      {names.join(', ')}
      {readable.length > 0 && ': anyone can read '}
      {readable.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ', '}
          <code>{name}</code>
        </Fragment>
      ))}
      {readable.length > 0 && ` and ${readable.length > 1 ? 'their' : 'its'} values`}. Addresses and user ids
      are published as hashes only
      {hashed.length > 0 && ', with which a guess can be checked'}.
    </p>
  );
}
