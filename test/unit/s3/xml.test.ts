import { expect, it } from 'vitest'
import { childrenOf, readXml, textOf, xmlText } from '../../../src/s3/xml.ts'

it('reads elements, entities, CDATA and what is empty', () => {
  const root = readXml(
    `<?xml version="1.0"?><!-- > --><s3:List xmlns:s3="http://x/?a>b"><Key>a&amp;&lt;&#62;&#x1F600;&apos;&quot;</Key><Key/><Key><![CDATA[<&]]></Key><N>\n 1 </N></s3:List>\n`,
  )
  expect(root?.name).toBe('List')
  expect(root && childrenOf(root, 'Key').map(({ text }) => text)).toEqual([`a&<>😀'"`, '', '<&'])
  expect(root && textOf(root, 'N')).toBe('\n 1 ')
  expect(root && textOf(root, 'Missing')).toBe(null)
})

it.each(['', 'plain', '<a>', '<a></b>', '<a/><b/>', '</a>', '<html><br></html>', '<a>'.repeat(1000)])('refuses %j', (text) => {
  expect(readXml(text)).toBe(null)
})

it('reads long documents, and refuses hostile ones soon', () => {
  const many = `<r>${'<k>&amp;</k>'.repeat(100_000)}</r>`
  expect(readXml(many)?.children).toHaveLength(100_000)
  for (const text of ['<'.repeat(100_000), `<a ${'"'.repeat(100_001)}`, '<!--'.repeat(5_000)]) expect(readXml(text)).toBe(null)
})

it('writes text that it reads again, or says that XML can not', () => {
  const text = `a&<>"'\r\n\t é 😀 ]]>`
  expect(readXml(`<k>${xmlText(text)}</k>`)?.text).toBe(text)
  for (const unwritable of ['a\0', '\x01', '\uffff', '\ud800']) expect(xmlText(unwritable)).toBe(null)
})
