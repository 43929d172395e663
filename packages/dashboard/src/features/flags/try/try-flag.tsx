import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { Explanation, ExplanationBody } from '@switchyard/core/api/explanations';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { messageOf, propertyPath, request } from '../../../api.ts';
import { Choice } from '../../../ui/fields/choice.tsx';
import { Form } from '../../../ui/fields/form.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { useUrlState } from '../../../ui/hooks/use-url-state.ts';
import { LoadError } from '../../../ui/page/page-states.tsx';
import { Panel } from '../../../ui/page/panel.tsx';
import { useDraft } from '../../changes/use-draft.ts';
import type { Flag } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { ExplanationSteps } from '../../explanations/explanation-steps.tsx';
import { configurationIn } from '../flag-configuration.ts';
import { decidingAttributes } from './deciding-attributes.ts';
import classes from './try-flag.module.css';
import { contextOf, type TryInput } from './try-input.ts';
import { TryRows } from './try-rows.tsx';

const VIEW = { env: '', session: '' };

interface TryFlagProps {
  flag: Flag;
  /** Whether the flag has unsaved changes. */
  isDraft: boolean;
}

/** A context or a session in, the value and the rule that decided out: for the flag as it is edited. */
export function TryFlag({ flag, isDraft }: TryFlagProps) {
  const { propertyId, configuration } = useProperty();
  const [view, setView] = useUrlState(VIEW);
  const environment =
    configuration.environments.find(({ id }) => id === view.env) ?? configuration.environments[0]!;
  const [input, change] = useTryInput(flag, environment.id, view.session);
  const who = contextOf(input);
  const problem = 'problem' in who ? who.problem : undefined;
  const body: ExplanationBody = {
    type: 'flag',
    key: flag.key,
    environment: environment.id,
    definition: flag,
    ...('problem' in who ? {} : who),
  };
  const explain = useMutation({
    mutationFn: (asked: ExplanationBody) =>
      request<Explanation>(propertyPath(propertyId, 'explanations'), { method: 'POST', body: asked }),
  });
  const isOutdated = explain.isSuccess && JSON.stringify(explain.variables) !== JSON.stringify(body);
  return (
    <div className={classes.columns}>
      <Panel title="Who asks" hint={isDraft ? 'Uses your unsaved changes' : 'Nothing is counted or changed'}>
        <Form onSubmit={() => problem === undefined && explain.mutate(body)}>
          <Stack gap="sm">
            <Select
              label="Environment"
              data={configuration.environments.map(({ id, name }) => ({ value: id, label: name }))}
              allowDeselect={false}
              value={environment.id}
              onChange={(env) => setView({ env: env ?? undefined })}
            />
            <Choice
              label="What to try it with"
              options={[
                { value: 'attributes', label: 'Attributes' },
                { value: 'json', label: 'JSON' },
                { value: 'session', label: 'Session' },
              ]}
              value={input.mode}
              onChange={(mode) => change({ mode })}
            />
            {input.mode === 'attributes' && (
              <TryRows rows={input.rows} onChange={(rows) => change({ rows })} />
            )}
            {input.mode === 'json' && (
              <TextArea
                label="Context"
                rows={5}
                isCode
                value={input.json}
                error={problem}
                onChange={(text) => change({ json: text })}
              />
            )}
            {input.mode === 'session' && (
              <TextInput
                label="Session id"
                description="The attributes that this session sent are used"
                maxLength={500}
                value={input.session}
                onChange={(event) => change({ session: event.currentTarget.value })}
              />
            )}
            <Group gap="xs">
              <Button type="submit" loading={explain.isPending} disabled={problem !== undefined}>
                Try it
              </Button>
              {problem && (
                <Text size="sm" c="dimmed">
                  {problem}
                </Text>
              )}
            </Group>
          </Stack>
        </Form>
      </Panel>
      <Panel title="Result">
        <div aria-live="polite">
          {isOutdated && (
            <Text size="sm" className="warn">
              Something has changed since: try it again.
            </Text>
          )}
          {explain.isError && (
            <LoadError title="Cannot evaluate the flag" message={messageOf(explain.error)} />
          )}
          {explain.isIdle && (
            <Text size="sm" c="dimmed">
              Press “Try it” to see the value, and rule by rule how it comes about.
            </Text>
          )}
          {explain.data && <ExplanationSteps explanation={explain.data} />}
        </div>
      </Panel>
    </div>
  );
}

/** Begins with the attributes that the flag uses; what is entered is kept for the next visit. */
function useTryInput(flag: Flag, environmentId: string, session: string) {
  const { propertyId, configuration } = useProperty();
  const { segments } = configuration;
  const initial = useMemo<TryInput>(() => {
    const used = decidingAttributes(configurationIn(flag, environmentId), segments);
    const names = used.length > 0 ? used : ['userId'];
    return {
      mode: session === '' ? 'attributes' : 'session',
      rows: names.map((name) => ({ name, value: '' })),
      json: JSON.stringify(Object.fromEntries(names.map((name) => [name, ''])), null, 2),
      session,
    };
  }, [flag, environmentId, segments, session]);
  // A link with a session means that session, whatever was entered before.
  const draft = useDraft<TryInput>(`${propertyId}/try/${flag.key}/${session}`, initial);
  return [draft.value, draft.change] as const;
}
