type Handlers = { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void }

/** Attributes by name (`true` sets an empty one, `false` and undefined leave it out), and what listens. */
export interface ElementOptions {
  readonly on?: Handlers
  readonly attributes?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly class?: string
}

/** An element with its attributes, listeners and children; text children are text, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: ElementOptions = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  if (options.class !== undefined) made.className = options.class
  setAttributes(made, options.attributes ?? {})
  for (const [type, handler] of Object.entries(options.on ?? {})) made.addEventListener(type, handler as EventListener)
  made.append(...children)
  return made
}

/** Sets, or with false and undefined takes away, attributes of an element; those that hold their value already are left alone. */
export function setAttributes(target: Element, attributes: Readonly<Record<string, string | number | boolean | undefined>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const text = value === true ? '' : value === false || value === undefined ? null : String(value)
    if (target.getAttribute(name) === text) continue
    if (text === null) target.removeAttribute(name)
    else target.setAttribute(name, text)
  }
}

/** The element of the page's own markup with this id. */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no element "${id}"`)
  return found
}
