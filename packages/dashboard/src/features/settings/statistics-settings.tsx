import { Select, Stack } from '@mantine/core';
import type { StatisticsSettings as Statistics } from '@switchyard/core/api/statistics';
import { Check } from '../../ui/fields/check.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { OptionList } from '../../ui/fields/option-list.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { rangeProblem } from './setting-problems.ts';
import classes from './settings-page.module.css';
import { CORRECTIONS, ENGINES, SPENDINGS, STRATA } from './statistics-words.ts';
import { useSettingsDraft } from './use-settings-draft.ts';

const FIELDS = ['statistics', 'recordEvaluations'] as const;

const inPercent = (share: number) => Math.round(share * 1e6) / 1e4;
const asShare = (percent: number | null) => Math.round((percent ?? 0) * 1e4) / 1e6;

/** The order of clicks makes no difference. */
const inOrder = (chosen: readonly string[]): Statistics['stratify'] =>
  STRATA.map(({ value }) => value).filter((value) => chosen.includes(value));

export function StatisticsSettings() {
  const { draft, save, message, reason } = useSettingsDraft('statistics', FIELDS);
  const statistics = draft.value.statistics as Statistics;
  const change = (changes: Partial<Statistics>) =>
    draft.change({ statistics: { ...statistics, ...changes } });
  const problems = problemsOf(statistics);
  const isInvalid = Object.values(problems).some((problem) => problem !== undefined);
  const form = { statistics, problems, change };
  return (
    <>
      <fieldset className={classes.sections} disabled={reason !== undefined}>
        <MethodPanel {...form} />
        <ErrorPanel {...form} />
        <VariancePanel {...form} />
        <RecordingPanel
          isOn={draft.value.recordEvaluations}
          onChange={(recordEvaluations) => draft.change({ recordEvaluations })}
        />
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

type Problems = ReturnType<typeof problemsOf>;

function problemsOf({ alpha, sequentialN, cuped, preDays, winsorize, prior }: Statistics) {
  return {
    alpha: rangeProblem(inPercent(alpha), 0.1, 20),
    sequentialN: rangeProblem(sequentialN, 1, 1_000_000_000, { isWhole: true }),
    preDays: cuped ? rangeProblem(preDays, 1, 90, { isWhole: true }) : undefined,
    winsorize: winsorize === null ? undefined : rangeProblem(inPercent(winsorize), 50.01, 99.99),
    mean: prior === null ? undefined : rangeProblem(inPercent(prior.mean), -100, 1000),
    sd: prior === null ? undefined : rangeProblem(inPercent(prior.sd), 0.01, 1000),
  };
}

interface PartProps {
  statistics: Statistics;
  problems: Problems;
  change: (changes: Partial<Statistics>) => void;
}

function MethodPanel({ statistics, problems, change }: PartProps) {
  const { engine, spending, sequentialN } = statistics;
  return (
    <Panel
      title="Method"
      hint="How variations are compared. A change applies to the results of all split tests from now on, also of running ones."
    >
      <div className={classes.fields}>
        <OptionList
          label="Method"
          hideLabel
          options={ENGINES}
          value={[engine]}
          onChange={([next]) => change({ engine: next! })}
        />
        {(engine === 'auto' || engine === 'group-sequential') && (
          <Select
            label="Looking early at planned tests"
            description="How the accepted error is spread over the test"
            allowDeselect={false}
            data={Object.entries(SPENDINGS).map(([value, label]) => ({ value, label }))}
            value={spending}
            onChange={(value) => change({ spending: value as Statistics['spending'] })}
          />
        )}
        {engine !== 'frequentist' && engine !== 'bayesian' && (
          <NumberField
            classNames={{ wrapper: classes.short }}
            label="Usual size of a test"
            description="Visitors at which you usually decide: without a plan, intervals are tightest there"
            isWhole
            value={sequentialN}
            error={problems.sequentialN}
            onChange={(value) => change({ sequentialN: value ?? 0 })}
          />
        )}
        {engine === 'bayesian' && <PriorFields statistics={statistics} problems={problems} change={change} />}
      </div>
    </Panel>
  );
}

function PriorFields({ statistics: { prior }, problems, change }: PartProps) {
  return (
    <>
      <Check
        kind="switch"
        label="Set what to expect (the prior) yourself"
        description="Otherwise it is learnt from the finished tests of this property, as soon as there are 8; until then, most effects are expected to be below 20 %"
        checked={prior !== null}
        onChange={(isOn) => change({ prior: isOn ? { mean: 0, sd: 0.1 } : null })}
      />
      {prior !== null && (
        <div className={classes.nested}>
          <Stack gap="sm">
            <NumberField
              classNames={{ wrapper: classes.short }}
              label="Expected effect"
              unit="%"
              canBeNegative
              value={inPercent(prior.mean)}
              error={problems.mean}
              onChange={(value) => change({ prior: { ...prior, mean: asShare(value) } })}
            />
            <NumberField
              classNames={{ wrapper: classes.short }}
              label="Usual spread of effects"
              description="10 %: hardly any change is larger than 20 %"
              unit="%"
              value={inPercent(prior.sd)}
              error={problems.sd}
              onChange={(value) => change({ prior: { ...prior, sd: asShare(value) } })}
            />
          </Stack>
        </div>
      )}
    </>
  );
}

function ErrorPanel({ statistics, problems, change }: PartProps) {
  return (
    <Panel title="Errors">
      <div className={classes.fields}>
        <NumberField
          classNames={{ wrapper: classes.short }}
          label="Accepted false alarms"
          description="5 %: of 20 tests without any effect, one seems to have one. Intervals have the level 95 %"
          unit="%"
          value={inPercent(statistics.alpha)}
          error={problems.alpha}
          onChange={(value) => change({ alpha: asShare(value) })}
        />
        <Check
          kind="switch"
          label="Ship while guardrails are open"
          description="A guardrail is open until the data rule out too much harm. Otherwise the verdict waits, and says which guardrail is open"
          checked={statistics.shipWithOpenGuardrails}
          onChange={(isOn) => change({ shipWithOpenGuardrails: isOn })}
        />
        <Select
          label="Several goals and variations"
          description="The more is compared, the more often something differs by chance"
          allowDeselect={false}
          data={Object.entries(CORRECTIONS).map(([value, label]) => ({ value, label }))}
          value={statistics.correction}
          onChange={(value) => change({ correction: value as Statistics['correction'] })}
        />
      </div>
    </Panel>
  );
}

function VariancePanel({ statistics, problems, change }: PartProps) {
  const { cuped, preDays, winsorize, stratify } = statistics;
  return (
    <Panel title="Less noise" hint="These make results more precise, so that tests end earlier.">
      <div className={classes.fields}>
        <Check
          kind="switch"
          label="Use what visitors did before the test (CUPED)"
          description="Removes differences that existed before; helps where visitors come back"
          checked={cuped}
          onChange={(isOn) => change({ cuped: isOn })}
        />
        {cuped && (
          <div className={classes.nested}>
            <NumberField
              classNames={{ wrapper: classes.short }}
              label="Days before the first exposure"
              isWhole
              value={preDays}
              error={problems.preDays}
              onChange={(value) => change({ preDays: value ?? 0 })}
            />
          </div>
        )}
        <OptionList
          isMultiple
          label="Compare like with like"
          description="Visitors are compared within groups, and the groups are then combined; helps where groups convert very differently"
          options={STRATA}
          value={stratify}
          onChange={(next) => change({ stratify: inOrder(next) })}
        />
        <Check
          kind="switch"
          label="Cap very large amounts"
          description="So that a single large order does not decide a test"
          checked={winsorize !== null}
          onChange={(isOn) => change({ winsorize: isOn ? 0.99 : null })}
        />
        {winsorize !== null && (
          <div className={classes.nested}>
            <NumberField
              classNames={{ wrapper: classes.short }}
              label="Cap at the quantile"
              description="99 %: the largest hundredth of the amounts is capped"
              unit="%"
              value={inPercent(winsorize)}
              error={problems.winsorize}
              onChange={(value) => change({ winsorize: asShare(value) })}
            />
          </div>
        )}
      </div>
    </Panel>
  );
}

interface RecordingPanelProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

function RecordingPanel({ isOn, onChange }: RecordingPanelProps) {
  return (
    <Panel
      title="Measured flags"
      hint="A rule of a flag that is measured counts whoever the flag is evaluated for. The Node SDK reports it by itself."
    >
      <Check
        kind="switch"
        label="Count evaluations by the service"
        description="Requests for flags, also by OFREP, count unless they say no; otherwise only if they say so. A request for all flags counts for every measured one"
        checked={isOn}
        onChange={onChange}
      />
    </Panel>
  );
}
