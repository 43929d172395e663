type Child = Node | string | undefined | false | Child[];

/** Creates an element: `element('a', { href: '#top' }, 'Top')`. Attributes that are false or undefined are left out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number | boolean | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const result = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) result.setAttribute(key, value === true ? '' : String(value));
  }
  append(result, children);
  return result;
}

function append(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (child === undefined || child === false) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
  }
}
