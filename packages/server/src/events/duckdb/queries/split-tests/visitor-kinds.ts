import type { VisitorGroup } from '../../../store/split-test-queries.ts';

/** What the visitors of a group have in common, apart from their segment. */
type VisitorKind = Pick<
  VisitorGroup,
  'variationKey' | 'firstVariationKey' | 'moved' | 'returning' | 'bot' | 'early'
>;

/** Flags, stored above the bits of the variations. */
const FLAGS = ['bot', 'early', 'mixed', 'moved', 'returning'] as const;
type Flag = (typeof FLAGS)[number];

/**
 * SQL for the kind of a visitor: a number with one bit for the variation that was seen first, and flags. It is combined
 * from the bits of exposures. Visitors of several variations keep only the first: which ones they saw does not matter,
 * and there could be as many combinations as visitors.
 */
export class VisitorKinds {
  readonly #variationKeys: readonly string[];
  readonly #terms: readonly (number | undefined)[];
  readonly #earlyUntil: number;
  /** Bits of the position in an entry, see `entry`. */
  readonly #shift: number;

  /** @param terms of the variations, as far as they are known */
  constructor(
    variationKeys: readonly string[],
    terms: readonly (number | undefined)[],
    earlyUntil: number | undefined,
  ) {
    this.#variationKeys = variationKeys;
    this.#terms = terms;
    this.#earlyUntil = earlyUntil ?? 0;
    this.#shift = Math.ceil(Math.log2(variationKeys.length));
  }

  /** Condition on `exposures`: shows one of the variations. A quarter of the time that `variation IN (…)` takes. */
  get isKnown(): string {
    return this.#byVariation(() => 'true', 'false');
  }

  /** Bits of an exposure in the phase. */
  get bits(): string {
    const isEarly = `happened_at < ${this.#earlyUntil} OR received_at < ${this.#earlyUntil}`;
    return `(${this.#shown} | ${this.#mark('bot', 'bot')} | ${this.#mark(isEarly, 'early')})::${this.#type}`;
  }

  /** Bits of an exposure in an earlier phase. */
  get earlierBits(): string {
    return `(${this.#shown} | ${this.#flag('returning')})::${this.#type}`;
  }

  /** The kind of an exposure, as if its visitor had seen nothing else. */
  get exposureKind(): string {
    return `(${this.#shown} | ${this.#mark('bot', 'bot')})::${this.#type}`;
  }

  /** Time and position of an exposure as one number, whose minimum has both of the first exposure. */
  entry(seenAt: string): string {
    return `(${seenAt} * ${2 ** this.#shift} + ${this.#byVariation((position) => position, 'NULL')})`;
  }

  timeOf(entry: string): string {
    return `(${entry} >> ${this.#shift})`;
  }

  /**
   * The kind of a visitor.
   *
   * @param bits of all exposures in the phase
   * @param entry the smallest one; without it, visitors of several variations have no first one
   * @param earlier bits of those in earlier phases; 0 without any
   */
  kind(bits: string, entry: string | undefined, earlier: string | undefined): string {
    const isOne = `bit_count(${bits} & ${this.#allShown}) = 1`;
    const flags = `(${bits} & ${this.#flag('bot') | this.#flag('early')}) | ${this.#flag('mixed')}`;
    const mixed = entry === undefined ? flags : `${flags} | ${this.#first(entry)}`;
    const own = `(CASE WHEN ${isOne} THEN ${bits} ELSE ${mixed} END)`;
    if (earlier === undefined) return `${own}::${this.#type}`;
    const isMoved = `${isOne} AND bit_count((${bits} | ${earlier}) & ${this.#allShown}) > 1`;
    return `(${own} | (${earlier} & ${this.#flag('returning')}) | ${this.#mark(isMoved, 'moved')})::${this.#type}`;
  }

  /** Condition: the visitor is in the results. */
  get isCounted(): string {
    return `(kind & ${this.#flag('mixed') | this.#flag('moved')}) = 0`;
  }

  /** Condition: the visitor saw several variations in the phase. */
  get isMixed(): string {
    return `((kind & ${this.#flag('mixed')}) <> 0)`;
  }

  get isBot(): string {
    return `(kind & ${this.#flag('bot')}) <> 0`;
  }

  /** Condition on counted visitors: they saw one of these variations. */
  isAmong(variationKeys: readonly string[]): string {
    const positions = variationKeys.map((key) => this.#variationKeys.indexOf(key)).filter((at) => at >= 0);
    return `(kind & ${positions.reduce((bits, at) => bits | (1n << BigInt(at)), 0n)}) <> 0`;
  }

  /** The kind of a counted visitor without what only groups need. */
  get variationKind(): string {
    return `(kind & ${this.#allShown | this.#flag('bot')})`;
  }

  /** The key of the variation of a counted visitor; one that nobody has seen is not stored. */
  get variationText(): string {
    const cases = this.#terms.flatMap((term, position) =>
      term === undefined
        ? []
        : [`WHEN (kind & ${1n << BigInt(position)}) <> 0 THEN (SELECT text FROM terms WHERE id = ${term})`],
    );
    return `(CASE ${cases.join(' ')} END)`;
  }

  /** The variation of a counted visitor alone. */
  get variationAlone(): string {
    return `(kind & ${this.#allShown})`;
  }

  read(kind: number | bigint): VisitorKind {
    const bits = BigInt(kind);
    const has = (name: Flag) => (bits & this.#flag(name)) !== 0n;
    const first = this.#variationKeys.find((_, index) => (bits & (1n << BigInt(index))) !== 0n) as string;
    return {
      variationKey: has('mixed') ? null : first,
      firstVariationKey: first,
      moved: has('moved'),
      returning: has('returning'),
      bot: has('bot'),
      early: has('early'),
    };
  }

  /** One bit for the variation of an entry. */
  #first(entry: string): string {
    const cases = this.#terms.map((_, position) => `WHEN ${position} THEN ${1n << BigInt(position)}`);
    return `(CASE ${entry} & ${2 ** this.#shift - 1} ${cases.join(' ')} END)`;
  }

  /** One bit for the variation of an exposure. */
  get #shown(): string {
    return this.#byVariation((position) => 1n << BigInt(position), '0');
  }

  get #allShown(): bigint {
    return (1n << BigInt(this.#terms.length)) - 1n;
  }

  #flag(name: Flag): bigint {
    return 1n << BigInt(this.#terms.length + FLAGS.indexOf(name));
  }

  #mark(condition: string, name: Flag): string {
    return `(CASE WHEN ${condition} THEN ${this.#flag(name)} ELSE 0 END)`;
  }

  #byVariation(value: (position: number) => string | number | bigint, otherwise: string): string {
    const cases = this.#terms.flatMap((term, position) =>
      term === undefined ? [] : [`WHEN ${term} THEN ${value(position)}`],
    );
    return `(CASE variation ${cases.join(' ')} ELSE ${otherwise} END)`;
  }

  /** The smallest type that fits, because it is grouped for millions of visitors. */
  get #type(): string {
    const size = this.#terms.length + FLAGS.length;
    if (size <= 16) return size <= 8 ? 'UTINYINT' : 'USMALLINT';
    return size <= 32 ? 'UINTEGER' : size <= 63 ? 'BIGINT' : 'HUGEINT';
  }
}
