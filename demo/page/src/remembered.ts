/** What the page itself remembers: how it looks, not what is worked on. Where the browser keeps nothing, nothing is remembered. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`mirage-page:${name}`)
  } catch {
    return null
  }
}

/** Forgets what has a name that begins so. */
export function forget(prefix: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(`mirage-page:${prefix}`)) localStorage.removeItem(key)
  } catch {
    // Nothing was remembered.
  }
}

/** Remembers a text, or with null forgets it. */
export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`mirage-page:${name}`)
    else localStorage.setItem(`mirage-page:${name}`, value)
  } catch {
    // How the page looks is not worth an error.
  }
}
