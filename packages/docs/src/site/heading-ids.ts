/** The ids that GitHub gives to headings, so that links to them work in both places. */
export class HeadingIds {
  readonly #used = new Map<string, number>();

  idOf(text: string): string {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = this.#used.get(slug) ?? 0;
    this.#used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  }
}
