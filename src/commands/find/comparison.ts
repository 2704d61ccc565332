/** How a value found is to compare with the one given: `+N`, `-N`, `N`. */
export type Comparison = 'more' | 'less' | 'equal'

/** Takes the sign off an argument. */
export function comparisonOf(text: string): { readonly comparison: Comparison; readonly rest: string } {
  if (text.startsWith('+')) return { comparison: 'more', rest: text.slice(1) }
  if (text.startsWith('-')) return { comparison: 'less', rest: text.slice(1) }
  return { comparison: 'equal', rest: text }
}

/** A whole number with a sign of comparison, as a test; null where it is none. */
export function numberTest(text: string): ((value: number) => boolean) | null {
  const { comparison, rest } = comparisonOf(text)
  if (!/^\s*\+?[0-9]+$/.test(rest)) return null
  const wanted = Number(rest)
  switch (comparison) {
    case 'more':
      return (value) => value > wanted
    case 'less':
      return (value) => value < wanted
    case 'equal':
      return (value) => value === wanted
    default:
      return comparison satisfies never
  }
}
