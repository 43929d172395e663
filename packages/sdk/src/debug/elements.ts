type Child = Node | string | false | undefined;

/** Creates an element. Not by HTML, which a page may forbid with Trusted Types. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children.filter((child) => child !== false && child !== undefined));
  return created;
}

/** A button that calls a function. */
export function button(
  label: string,
  onClick: (clicked: HTMLButtonElement) => void,
  name = label,
): HTMLButtonElement {
  const created = element('button', { type: 'button', 'aria-label': name }, label);
  created.addEventListener('click', () => onClick(created));
  return created;
}
