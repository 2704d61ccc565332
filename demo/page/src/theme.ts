import { remember, remembered } from './remembered.ts'
import type { ValueStore } from './value-store.ts'
import { valueStore } from './value-store.ts'

export type Theme = 'dark' | 'light'
export type ThemeChoice = Theme | 'system'

const system = matchMedia('(prefers-color-scheme: light)')

/** What a person chose, and what is shown. */
export interface Themes {
  readonly choice: ValueStore<ThemeChoice>
  readonly shown: ValueStore<Theme>
}

export function openThemes(): Themes {
  const stored = remembered('theme')
  const choice = valueStore<ThemeChoice>(stored === 'dark' || stored === 'light' ? stored : 'system')
  const shown = valueStore<Theme>(resolve(choice.get()))
  const apply = (): void => {
    shown.set(resolve(choice.get()))
    document.documentElement.dataset.theme = shown.get()
  }
  choice.watch((value) => {
    remember('theme', value === 'system' ? null : value)
    apply()
  })
  system.addEventListener('change', apply)
  apply()
  return { choice, shown }
}

function resolve(choice: ThemeChoice): Theme {
  return choice === 'system' ? (system.matches ? 'light' : 'dark') : choice
}
