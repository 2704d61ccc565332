/** Texts that are ids, each of which some store might take for another one, or for a way out of its place. */
export const ids: readonly string[] = [
  ...['.', '..', '...', '../x', '/', '//', 'a/b', 'a//b', '/a', 'a/', 'a', 'A', 'x.json', 'workspace.json', 'sessions', 'history'],
  ...['%', '%2E', '%2e', '%2F', '%2f', 'a%2Fb', '%252F', 'a:b', '{a}', 'a}:index', '*', '?[a]', '\\', 'a\\b', "!'()*", '#?&=+;,@$'],
  ...['__proto__', 'constructor', 'con', '~', '-', ' ', 'a ', '\t', '\n', '\r\n', '\0', 'a\0b', '\x7f', '\u0080', '\u202e', '\ufeff'],
  // As it is written, and in pieces; halves of a character, what stands for what is none, and halves that stand for bytes of a character.
  ...[
    '\u00e9',
    'e\u0301',
    '\u{1f642}',
    '\ud83d',
    '\ude42',
    '\ud800',
    '\ud801',
    '\udfff',
    '\ufffd',
    '\udc80',
    '\udcc3\udca9',
    '\udced\udca0\udc80',
  ],
]

/** Texts that are longer than what some stores have room for. The first is not. */
export const longIds: readonly string[] = [
  ...[200, 240, 246, 250, 251, 255, 256, 300, 1000, 1001, 2000].map((length) => 'x'.repeat(length)),
  '\u{1f600}'.repeat(256),
  `${'\u{1f600}'.repeat(255)}\u{1f601}`,
]
