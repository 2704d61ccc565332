import { decode, encode } from '../../src/bytes.ts'
import { decodeBase64, encodeBase64 } from '../../src/store/base64.ts'
import { Workspace } from '../../src/workspace.ts'
import { deepEqual, equal } from '../contract/assert.ts'
import type { AnySuite } from './suite.ts'
import { suite } from './suite.ts'

/** An archive of a workspace as it goes through a file to other runtimes. */
export interface MadeArchive {
  /** In base64. */
  readonly archive: string
}

/** Makes an archive of a workspace with something of everything: a {@link MadeArchive}. */
export function archiveSuite(): AnySuite {
  const run = async (): Promise<MadeArchive> => {
    const ws = new Workspace({}, { sessionId: 'main' })
    equal((await ws.shell(FILL)).stderrText, '')
    await ws.shell('y=2', { sessionId: 'main' })
    await (await ws.session('other')).shell('cd /tmp')
    equal((await ws.shell(LOOK)).stdoutText, SEEN)
    const archive = decode(encodeBase64(await ws.snapshot()))
    await ws.close()
    return { archive }
  }
  return suite({ name: 'workspace archives', cases: [{ name: 'makes one', run }], makeSubject: () => null })
}

/** Makes workspaces of what every runtime archived, by its name. */
export function loadSuite(made: Readonly<Record<string, readonly MadeArchive[]>>): AnySuite {
  const cases = Object.entries(made).map(([runtime, all]) => ({
    name: `made in ${runtime}`,
    run: async () => {
      equal(all.length, 1)
      for (const { archive } of all) {
        const ws = await Workspace.load(decodeBase64(encode(archive)) ?? new Uint8Array(0))
        equal((await ws.shell(LOOK)).stdoutText, SEEN)
        deepEqual(await ws.listSessions(), ['main', 'other'])
        deepEqual(
          (await (await ws.session('main')).history()).slice(0, 2).map(({ command }) => command),
          [FILL, 'y=2'],
        )
        equal((await ws.shell('pwd', { sessionId: 'other' })).stdoutText, '/tmp\n')
        await ws.close()
      }
    },
  }))
  return suite({ name: 'workspace archives', cases, makeSubject: () => null })
}

const FILL = `cd; mkdir -p d/e; chmod 750 d; echo text > d/f; chmod 640 d/f; ln d/f d/e/g; ln -s ../f d/e/l; printf 'a\\0\\377' > b; echo odd > $'odd\\377'
  touch -d '2001-02-03 04:05:06.789 UTC' d/f; x='a b'; declare -a n=(1 2); declare -A m=([k]=v); g() { echo "g $1"; }; umask 027`
const LOOK = `pwd; stat -c '%a %h %y' d/f; stat -c %a d; readlink d/e/l; cat d/e/g; sha256sum b; cat $'odd\\377'; echo "$x" \${n[1]} \${m[k]} $(umask); g 1`
const SEEN = `/home/user
640 2 2001-02-03 04:05:06.789000000 +0000
750
../f
text
2d28501a66adef190c7f5b220994e76d5cc30f1eb165a8ca6cab56dfd57092fe  b
odd
a b 2 v 0027
g 1
`
