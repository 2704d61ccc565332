import type { FileStat } from '../../fs/file-system.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { TestContext } from '../expand/conditional.ts'
import { absolute } from './call.ts'
import { isTerminal } from './is-terminal.ts'
import { evaluate, isAssociative, readElement, readValue, splitReference } from './parameters.ts'
import type { Process } from './process.ts'
import { descriptorOf } from './redirect.ts'
import { Attribute, IndexedArray, scalarText } from './variables.ts'

/** What `test`, `[` and `[[` see of a process. */
export function testContext(process: Process, name: string): TestContext {
  const { machine, environment } = process
  const look = (path: string, how: 'stat' | 'lstat'): MaybePromise<FileStat | null> => {
    if (path === '') return null
    const descriptor = descriptorOf(path)
    if (descriptor !== null && !process.descriptors.has(descriptor)) return null
    try {
      const stat = machine.fs[how](absolute(process, path))
      return isPromise(stat) ? stat.catch(() => null) : stat
    } catch {
      // A file that can't be looked at isn't there for a test.
      return null
    }
  }
  return {
    name,
    stat: (path) => look(path, 'stat'),
    lstat: (path) => look(path, 'lstat'),
    isTerminal: (descriptor) => isTerminal(process, descriptor),
    isSet: (variable) => isSet(process, variable),
    isNameReference: (variable) => {
      const known = environment.variables.get(variable)
      return known !== undefined && (known.attributes & Attribute.nameref) !== 0 && known.value !== undefined
    },
    isOptionOn: (option) => environment.options.has(option),
    evaluate: name === '[[' ? (text) => evaluate(process, text) : undefined,
    uid: 1000,
    gid: 1000,
    report: (message) => process.complain(`${process.messagePrefix()}${message}\n`),
  } as TestContext
}

function isSet(process: Process, text: string): boolean {
  if (/^[0-9]+$/.test(text)) return process.environment.positional[Number(text) - 1] !== undefined
  const { name, subscript } = splitReference(text)
  if (subscript === null) {
    const value = readValue(process, name)
    return typeof value === 'object' ? scalarText(value) !== undefined : value !== undefined
  }
  if (subscript === '@' || subscript === '*') {
    const value = readValue(process, name)
    if (value instanceof IndexedArray) return value.count > 0
    if (value instanceof Map) return value.has(subscript) || value.size > 0
    return value !== undefined
  }
  const key = isAssociative(process, name) ? process.machine.runtime.expandSubscript(process, subscript) : subscript
  return readElement(process, name, key) !== undefined
}
