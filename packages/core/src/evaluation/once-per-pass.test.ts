import { describe, expect, it } from 'vitest';
import { oncePerPass, SharedTests } from './once-per-pass.ts';

describe('SharedTests', () => {
  const counting = () => {
    const tests = new SharedTests({ id: 0 });
    const compiled: number[] = [];
    const use = (id: number) =>
      tests.of({ id }, () => {
        compiled.push(id);
        return () => true;
      });
    return { compiled, use };
  };

  it('compiles equal conditions once', () => {
    const { compiled, use } = counting();
    expect(use(1)).toBe(use(1));
    expect(use(2)).not.toBe(use(1));
    expect(compiled).toEqual([1, 2]);
  });

  it('keeps 10,000 conditions, and starts anew with one more', () => {
    const { compiled, use } = counting();
    for (let id = 0; id < 10_000; id++) use(id);
    use(0);
    expect(compiled).toHaveLength(10_000);
    use(10_000);
    use(0);
    use(10_000);
    expect(compiled.slice(10_000)).toEqual([10_000, 0]);
  });
});

describe('oncePerPass', () => {
  it('calls the function once per pass', () => {
    const pass = { id: 0 };
    let calls = 0;
    const read = oncePerPass(() => ++calls, pass);
    expect([read({}), read({})]).toEqual([1, 1]);
    pass.id++;
    expect([read({}), read({})]).toEqual([2, 2]);
  });
});
