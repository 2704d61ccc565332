// The data of the cases: made from fixed seeds, so that every shell reads the same bytes.

/** The files of one kind of data, as pairs of a path below the data folder and bytes. */
export function* filesOf(kind) {
  switch (kind) {
    case 't100':
      yield ['t100.txt', wordLines(100e6)]
      return
    case 't20':
      yield ['t20.txt', wordLines(20e6)]
      return
    case 'lines':
      yield ['lines.txt', Buffer.from(Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join(''))]
      return
    case 'json':
      yield [
        'j5.json',
        Buffer.from(
          JSON.stringify(Array.from({ length: 80_000 }, (_, id) => ({ id, name: `user${id}`, v: (id * 7919) % 1000, tags: ['a', 'b'] }))),
        ),
      ]
      return
    case 'tree':
      yield* treeFiles()
      return
    default:
      throw new Error(`no such data: ${kind}`)
  }
}

/** 50,000 small files in 1,000 folders; every tenth holds the word that is looked for. */
function* treeFiles() {
  const plain = Buffer.from('hello\n')
  const found = Buffer.from('a needle here\n')
  for (let top = 0; top < 50; top++)
    for (let sub = 0; sub < 20; sub++)
      for (let file = 0; file < 50; file++) yield [`tree/d${top}/s${sub}/f${file}.txt`, file % 10 === 0 ? found : plain]
}

/** Lines `keyN NUMBER wNUMBER the quick brown foxD jumps over` until there are so many bytes. */
function wordLines(bytes) {
  const whole = Buffer.alloc(bytes + 200)
  let seed = 12_345
  let length = 0
  for (let line = 0; length < bytes; line++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    length += whole.write(
      `key${line} ${seed % 1000} w${(seed >>> 8) % 5000} the quick brown fox${line % 10} jumps over\n`,
      length,
      'latin1',
    )
  }
  return whole.subarray(0, length)
}
