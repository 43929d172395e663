import { Button, Stack, TextInput } from '@mantine/core';
import { propertyPath } from '../../api.ts';
import { ChoiceField } from '../../ui/fields/choice-field.tsx';
import { keyFromName } from '../../ui/fields/key-from-name.ts';
import { OptionList } from '../../ui/fields/option-list.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { useCheckedReview } from '../changes/use-checked-review.ts';
import { useDraft } from '../changes/use-draft.ts';
import type { Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { newConfiguration } from './flag-configuration.ts';
import { FlagDetailsFields } from './flag-details-fields.tsx';
import classes from './new-flag-page.module.css';
import { type FlagKind, KINDS, kindOf, kindOptions, TEXT_KINDS, valuesOf } from './values/flag-kinds.ts';

type NewFlag = Omit<Flag, 'id' | 'createdAt' | 'version' | 'environments'> & {
  /** Environments to switch it on in. */
  on: string[];
};

const EMPTY: NewFlag = {
  key: '',
  name: '',
  description: '',
  tags: [],
  owner: null,
  type: 'boolean',
  defaultValue: false,
  on: [],
};

const OPTIONS = kindOptions<FlagKind>(['boolean', ...TEXT_KINDS]);

/** The form for a new flag; saving opens its page, where rules are added. */
export function NewFlagPage() {
  const { propertyId, configuration, may } = useProperty();
  const navigate = usePropertyNavigate();
  // `+` is not allowed in keys.
  const draft = useDraft<NewFlag>(`${propertyId}/flags/+new`, EMPTY);
  const { on, key, ...fields } = draft.value;
  const kind = kindOf(fields);
  const environments = Object.fromEntries(
    on.map((id) => [id, { ...newConfiguration(fields), enabled: true }]),
  );
  const body = { ...fields, environments };
  const { save, errors, isChecking } = useCheckedReview({
    title: `Create flag ${key}`,
    confirmLabel: 'Create',
    method: 'PUT',
    path: propertyPath(propertyId, 'flags', key),
    body,
    item: { type: 'flag', key },
  });
  const isTaken = configuration.flags.some((flag) => flag.key === key);
  const create = async () => {
    const { outcome } = await save();
    if (outcome !== 'saved' && outcome !== 'proposed') return;
    draft.discard();
    navigate(outcome === 'saved' ? `flags/${encodeURIComponent(key)}` : 'flags');
  };
  return (
    <Page
      title="New flag"
      actions={
        <Button variant="default" onClick={() => navigate('flags')}>
          Back to flags
        </Button>
      }
    >
      <Panel title="Flag">
        <Stack gap="sm" maw={560}>
          <TextInput
            label="Name"
            description="For people, such as “New checkout”"
            maxLength={256}
            autoFocus
            value={fields.name}
            error={errors('/name')}
            onChange={(event) => draft.change(withName(draft.value, event.currentTarget.value))}
          />
          <TextInput
            label="Key"
            description="For your code; it cannot be changed later"
            maxLength={128}
            classNames={{ input: classes.code }}
            value={key}
            error={isTaken ? 'Another flag has this key' : errors('/key')}
            onChange={(event) => draft.change({ key: event.currentTarget.value })}
          />
          <ChoiceField
            label="Type"
            description={`${KINDS[kind].hint} ${kind === 'boolean' ? 'It cannot become another type later' : 'It cannot become “On or off” later'}`}
            options={OPTIONS}
            value={kind}
            error={errors('/type') ?? errors('/format')}
            onChange={(next) => draft.change(withKind(fields, next))}
          />
          <FlagDetailsFields flag={fields} onChange={draft.change} errors={errors} disabled={false} />
          <OptionList
            isMultiple
            label="Switch on in"
            description="It can be switched on later, too"
            options={configuration.environments.map(({ id, name }) => ({ value: id, label: name }))}
            value={on}
            onChange={(next) => draft.change({ on: next })}
          />
        </Stack>
      </Panel>
      <DraftBar
        draft={draft}
        onSave={() => void create()}
        blocked={blockedReason(may('editor'), draft.value, isTaken, isChecking)}
      />
    </Page>
  );
}

/** Another kind has another default value; a schema stays where it can. */
function withKind({ schema }: Pick<NewFlag, 'schema'>, kind: FlagKind): Partial<NewFlag> {
  const values = valuesOf(kind);
  return { ...values, schema: values.format && schema, defaultValue: KINDS[kind].defaultValue };
}

/** The key follows the name until it is edited. */
function withName({ name, key }: NewFlag, next: string): Partial<NewFlag> {
  return key === keyFromName(name) ? { name: next, key: keyFromName(next) } : { name: next };
}

const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

function blockedReason(isAllowed: boolean, { name, key }: NewFlag, isTaken: boolean, isChecking: boolean) {
  if (!isAllowed) return 'You need the editor role';
  if (name.trim() === '') return 'Give the flag a name';
  if (!KEY.test(key)) return 'The key needs letters, digits, “.”, “_” or “-”';
  if (isTaken) return 'Choose another key';
  return isChecking ? 'Checking …' : undefined;
}
