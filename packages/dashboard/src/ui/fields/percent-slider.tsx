import classes from './percent-slider.module.css';

interface PercentSliderProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  disabled?: boolean;
}

const MARKS = [0, 25, 50, 75, 100];

/** A percentage in whole numbers. */
export function PercentSlider({ label, value, onChange, disabled = false }: PercentSliderProps) {
  return (
    <div className={classes.slider}>
      <input
        type="range"
        min={0}
        max={100}
        step={1}
        aria-label={label}
        aria-valuetext={`${value} %`}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(Number(event.currentTarget.value))}
      />
      <div className={classes.marks} aria-hidden="true">
        {MARKS.map((mark) => (
          <span key={mark}>{mark} %</span>
        ))}
      </div>
    </div>
  );
}
