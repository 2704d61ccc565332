import { expect, test } from 'vitest'
import { BUILTINS } from '../../../src/shell/builtins/table.ts'

test('what the table says of a builtin that is not loaded is what it says of itself', async () => {
  for (const [name, builtin] of BUILTINS) {
    if (!('load' in builtin)) continue
    const { special = false, control = false } = await builtin.load()
    expect({ special: builtin.special, control: builtin.control }, name).toEqual({ special, control })
  }
})
