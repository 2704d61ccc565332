import { expect, test } from 'vitest'
import type { MountMode } from '../../../src/fs/mount-table.ts'
import { allowedMode } from '../../../src/policy/allowed-mode.ts'
import { checkCommandRules, commandAllowed } from '../../../src/policy/command-rules.ts'

test.each<[string[] | null, string[], string, boolean]>([
  [null, [], 'anything', true],
  [null, ['rm'], 'rm', false],
  [null, ['rm'], '/bin/rm', false],
  [null, ['rm'], '/tmp/copy/rm', false],
  [null, ['rm'], 'rmdir', true],
  [null, ['git-*'], 'git-push', false],
  [['ls', 'cat'], [], 'ls', true],
  [['ls', 'cat'], [], 'rm', false],
  [['ls'], [], '/usr/bin/ls', true],
  [['ls'], [], '/bin/ls', true],
  [['ls'], [], '/tmp/ls', false],
  [['/tmp/ls'], [], '/tmp/ls', true],
  [['*'], ['rm'], 'rm', false],
  [['*'], ['rm'], 'ls', true],
  [['/opt/*'], [], '/opt/tool', true],
  [[], [], 'ls', false],
])('allow %j deny %j: %s %s', (allow, deny, name, allowed) => {
  expect(commandAllowed({ commands: { allow, deny } }, name)).toBe(allowed)
})

test('an entry that could never be about a command is refused', () => {
  checkCommandRules(['ls', 'git-*', '/opt/tool'])
  for (const entry of ['', ' ', 'rm -rf'])
    expect(() => checkCommandRules(['ls', entry])).toThrow(`command rule '${entry}' is no command name`)
})

test('the weaker mode holds', () => {
  const modes: readonly MountMode[] = ['read', 'write', 'exec']
  for (const [i, mode] of modes.entries()) {
    for (const [j, narrowed] of modes.entries()) {
      const expected = modes[Math.min(i, j)]
      expect(allowedMode({ prefix: '/data', mode }, { mountModes: new Map([['/data', narrowed]]) })).toBe(expected)
    }
    expect(allowedMode({ prefix: '/data', mode }, { mountModes: new Map([['/', 'read']]) })).toBe(mode)
  }
})
