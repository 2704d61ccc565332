import { describe, expect, it } from 'vitest'
import { concat, decode } from '../../../src/bytes.ts'
import type { JsonValue } from '../../../src/replay/json.ts'
import { TrajectorySource } from '../../../src/replay/source.ts'

const encoder = new TextEncoder()
const LARGE = 'x'.repeat(1024 * 1024)

function source(text: string): TrajectorySource {
  return new TrajectorySource(encoder.encode(text))
}

describe('a source', () => {
  it.each([
    ['an object', ' {"a": [1, 2.50, "x\\"]"], "__proto__": {"b": null}}\n'],
    ['an array', '[]'],
    ['nested large pieces', JSON.stringify({ a: LARGE, b: [LARGE, { c: [LARGE, [], {}], d: 'é' }], __proto__x: 1 })],
    ['a large array of small ones', JSON.stringify(Array.from({ length: 100_000 }, (_, i) => ({ i, t: '…' })))],
    ['a text', '"a"'],
  ])('parses %s as JSON.parse does', (_, text) => {
    expect(source(text).json()).toEqual(JSON.parse(text))
    expect(source(text).form).toBe('json')
  })

  it('has a key __proto__ as a key like others', () => {
    const parsed = source(`{"big":"${LARGE}","__proto__":{"admin":true}}`).json() as { admin?: boolean }
    expect(parsed.admin).toBeUndefined()
    expect(Object.hasOwn(parsed, '__proto__')).toBe(true)
  })

  it.each([
    ['{"a": 1', /^line 1, column 8: the text ends within an object/],
    ['{\n"a": "x', /^line 2, column 8: the text ends within a string/],
    ['[1, 2', /ends within an array/],
    ['{"a": 1}\n{}', /^line 2, column 1: there is something after the JSON value/],
    ['{"a" 1}', /no JSON/],
    ['[1,]', /no JSON/],
    ['nul', /no JSON/],
    ['', /is empty/],
    ['  \n', /there is nothing/],
    [`["${LARGE}" "b"]`, /a comma or the end of the array/],
    [`["${LARGE}",]`, /no JSON/],
    [`{"a":"${LARGE}",}`, /a key in quotes/],
    [`{"a" "${LARGE}"}`, /a colon/],
    [`{"a":"${LARGE}" "b":1}`, /a comma or the end of the object/],
    [`${'['.repeat(300)}${']'.repeat(300)}`, /nested deeper than 256 levels/],
  ])('refuses %.20s, and says where', (text, message) => {
    expect(() => source(text).json()).toThrow(
      expect.objectContaining({ category: 'trajectory_error', message: expect.stringMatching(message) }),
    )
  })

  it('refuses what is no UTF-8', () => {
    expect(() => new TrajectorySource(new Uint8Array([0x22, 0xc3, 0x22])).json()).toThrow(/line 1, column 1: the text is not UTF-8/)
  })

  it('reads a value a line, and says which line is none', () => {
    expect(
      source('{"a":1}\n[2]\n')
        .lines()
        .map(({ number, value }) => [number, value]),
    ).toEqual([
      [1, { a: 1 }],
      [2, [2]],
    ])
    expect(source('{"a":1}\n[2]\n').form).toBe('lines')
    expect(() => source('1\n\n2\n').lines()).toThrow(/^line 2 is blank/)
    expect(() => source('1\n{"a":\n').lines()).toThrow(/^line 2, column 6: the text ends within an object/)
    expect(() => source('1\n{"a":').lines()).toThrow(/^line 2/)
    expect(source('1\n{"a":').lines(true)).toHaveLength(1)
    expect(() => source('1 2\n').lines()).toThrow(/^line 1, column 3: there is something after/)
    expect(() => source('').lines()).toThrow(/is empty/)
  })

  it('has the objects of its first lines, of which a document of one line is parsed but once', () => {
    expect(source('{"a":1}\n{"b":2}\nx\n{"c":3}\n').head()).toEqual([{ a: 1 }, { b: 2 }])
    expect(source('{"a":1}\n{"b":').head()).toEqual([{ a: 1 }])
    expect(source('{"a":\n1}').head()).toEqual([])
    expect(source('[{}]').head()).toEqual([])
    expect(source('{"a":').head()).toEqual([])
    const one = source('{"a":1}\n')
    expect(one.head()[0]).toBe(one.json())
  })

  it('writes elements as they were, replaced, left out and added', () => {
    const text = '{"v" : 1.0, "m": [ {"a":1} , {"b":2},{"c":3} ], "z":[] }'
    const written = (keep: number, replaced: readonly (readonly [number, JsonValue])[], added: readonly JsonValue[]): string => {
      const one = source(text)
      one.json()
      return decode(concat(one.withElements(['m'], keep, new Map(replaced), added)))
    }
    expect(written(3, [], [])).toBe(text)
    expect(written(1, [], [])).toBe('{"v" : 1.0, "m": [ {"a":1} ], "z":[] }')
    expect(written(2, [[0, 'x']], [true])).toBe('{"v" : 1.0, "m": [ "x" , {"b":2},\ntrue ], "z":[] }')
    expect(written(0, [], [1, 2])).toBe('{"v" : 1.0, "m": [1,\n2 ], "z":[] }')
    const empty = source('{"m":[]}')
    empty.json()
    expect(decode(concat(empty.withElements(['m'], 0, new Map(), [1])))).toBe('{"m":[1]}')
  })

  it('writes several arrays at once, in whatever order they are named', () => {
    const one = source('{"b": [1, 2, 3], "x": 0, "a": [4, 5]}')
    one.json()
    const edits = [
      { path: ['a'], keep: 1, replaced: new Map(), added: [6] },
      { path: ['b'], keep: 2, replaced: new Map([[0, 'one']]), added: [] },
    ]
    expect(decode(concat(one.withArrays(edits)))).toBe('{"b": ["one", 2], "x": 0, "a": [4,\n6]}')
  })

  it('refuses to write where a key on the way is there twice', () => {
    const one = source('{"m":[1],"m":[2]}')
    one.json()
    expect(() => one.withElements(['m'], 1, new Map(), [])).toThrow(/the key "m" is there twice/)
  })

  it('writes lines as they were, replaced and added', () => {
    const one = source('{"a": 1}\n{"b": 2}\n{"c": 3}')
    expect(decode(concat(one.withLines(2, new Map([[0, { x: 1 }]]), [{ y: 2 }])))).toBe('{"x":1}\n{"b": 2}\n{"y":2}\n')
    expect(decode(concat(one.withLines(3, new Map(), [])))).toBe('{"a": 1}\n{"b": 2}\n{"c": 3}\n')
    // Also where the last line is one that is replaced.
    expect(decode(concat(one.withLines(2, new Map([[1, { x: 1 }]]), [{ y: 2 }])))).toBe('{"a": 1}\n{"x":1}\n{"y":2}\n')
    expect(decode(concat(one.withLines(1, new Map([[0, { x: 1 }]]), [])))).toBe('{"x":1}\n')
  })
})
