import { Alert, Select, TagsInput, TextInput } from '@mantine/core';
import { DEFAULT_RETENTION_DAYS } from '@switchyard/core/api/default-retention';
import '../../ui/style/mantine-form-styles.ts';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { OptionList } from '../../ui/fields/option-list.tsx';
import { formatCount } from '../../ui/format/format.ts';
import { Icon } from '../../ui/page/icon.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { AaTestSetting } from './aa-test-setting.tsx';
import { currencyOptions } from './currency-options.ts';
import { originProblem, rangeProblem } from './setting-problems.ts';
import classes from './settings-page.module.css';
import { TimeZoneField } from './time-zone-field.tsx';
import { useSettingsDraft } from './use-settings-draft.ts';

const FIELDS = [
  'name',
  'displayCurrency',
  'timeZone',
  'retentionDays',
  'allowedOrigins',
  'holdout',
  'aaTest',
] as const;
const RETENTIONS = [
  { value: 'forever', label: 'Forever' },
  { value: 'days', label: 'For a number of days' },
] as const;

export function GeneralSettings() {
  const { draft, stored, save, message, reason } = useSettingsDraft('general', FIELDS);
  const { value, change } = draft;
  const problems = {
    name: value.name.trim() === '' ? 'Enter a name' : undefined,
    retentionDays:
      value.retentionDays === null
        ? undefined
        : rangeProblem(value.retentionDays, 1, 36_500, { isWhole: true }),
    allowedOrigins: originProblem(value.allowedOrigins ?? []),
    holdout: rangeProblem(value.holdout, 0, 100),
  };
  const isInvalid = Object.values(problems).some((problem) => problem !== undefined);
  return (
    <>
      <fieldset className={classes.sections} disabled={reason !== undefined}>
        <Panel title="Property">
          <div className={classes.fields}>
            <TextInput
              label="Name"
              maxLength={256}
              value={value.name}
              error={problems.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            <Select
              classNames={{ wrapper: classes.short }}
              label="Display currency"
              description="Shown with amounts, which are not converted"
              searchable
              allowDeselect={false}
              data={currencyOptions(value.displayCurrency)}
              value={value.displayCurrency}
              onChange={(displayCurrency) => change({ displayCurrency: displayCurrency! })}
            />
            <TimeZoneField
              classNames={{ wrapper: classes.short }}
              value={value.timeZone}
              onChange={(timeZone) => change({ timeZone })}
            />
            <TagsInput
              label="Allowed origins"
              description="Sites whose pages may record visits with a public key. Empty: any site"
              placeholder="https://shop.example"
              splitChars={[',', ' ']}
              value={value.allowedOrigins ?? []}
              error={problems.allowedOrigins}
              onChange={(list) => change({ allowedOrigins: list.length === 0 ? null : list })}
            />
          </div>
        </Panel>
        <Panel title="Retention" hint="How long visits, exposures, conversions and feedback are kept.">
          <div className={classes.fields}>
            <OptionList
              label="Keep events"
              options={RETENTIONS}
              value={[value.retentionDays === null ? 'forever' : 'days']}
              onChange={([kind]) =>
                change({
                  retentionDays: kind === 'forever' ? null : (stored.retentionDays ?? DEFAULT_RETENTION_DAYS),
                })
              }
            />
            {value.retentionDays !== null && (
              <NumberField
                classNames={{ wrapper: classes.short }}
                label="Days"
                isWhole
                value={value.retentionDays}
                error={problems.retentionDays}
                onChange={(days) => change({ retentionDays: days ?? 0 })}
              />
            )}
            <RetentionWarning stored={stored.retentionDays} next={value.retentionDays} />
          </div>
        </Panel>
        <Panel
          title="Holdout"
          hint="Visitors who are never part of a split test, to measure all tests together."
        >
          <NumberField
            classNames={{ wrapper: classes.short }}
            label="Share of visitors"
            description="0 % to 100 %"
            unit="%"
            value={value.holdout}
            error={problems.holdout}
            onChange={(holdout) => change({ holdout: holdout ?? 0 })}
          />
          {stored.holdout > 0 && (
            <p className={classes.note}>
              <PropertyLink to="split-tests">What the holdout shows</PropertyLink>, below the split tests
            </p>
          )}
        </Panel>
        <AaTestSetting value={value.aaTest} onChange={(aaTest) => change({ aaTest })} />
      </fieldset>
      <DraftBar
        message={message}
        draft={draft}
        blocked={reason ?? (isInvalid ? 'Correct the marked fields first' : undefined)}
        onSave={() => void save()}
      />
    </>
  );
}

/** Less retention deletes events for good. */
function RetentionWarning({ stored, next }: { stored: number | null; next: number | null }) {
  if (next === null || next >= (stored ?? Number.POSITIVE_INFINITY)) return null;
  return (
    <Alert color="orange" role="status" icon={<Icon name="warning" />} title="Events will be deleted">
      Everything older than {formatCount(next)} days is deleted right after saving, and later day by day. It
      cannot be restored, not even from the history. Results of split tests that began earlier lose visitors.
    </Alert>
  );
}
