import { RAMFileSystem, RAMWorkspaceStateStore, Workspace } from 'mirage-runtime'
import { deepEqual, equal, ok, rejects } from '../contract/assert.ts'
import type { ContractCase } from '../contract/case.ts'

/** A script and what it prints on standard output and error together, and its status. */
const SCRIPTS: readonly (readonly [name: string, script: string, output: string, status?: number])[] = [
  ['arithmetic in 64 bits', 'echo $(( 9223372036854775807 + 1 )) $(( 2#101 ** 2 ))', '-9223372036854775808 25\n'],
  ['arrays and loops', 'a=(x "y z"); declare -A m=([k]=v); for e in "${a[@]}" "${m[k]}"; do echo "<$e>"; done', '<x>\n<y z>\n<v>\n'],
  ['functions and recursion', 'f() { (($1 < 2)) && { echo $1; return; }; echo $(( $(f $(($1-1))) + $(f $(($1-2))) )); }; f 10', '55\n'],
  ['expansions', 'p=/a/b.tar.gz; echo ${p##*/} ${p%%.*} ${p/a/A} ${#p} ${p^^} {1..3}{a,b}', 'b.tar.gz /a/b /A/b.tar.gz 11 /A/B.TAR.GZ 1a 1b 2a 2b 3a 3b\n'],
  ['a pipe that is closed early', 'yes | head -2; seq 1 100000000 | head -1; while :; do echo l; done | head -1', 'y\ny\n1\nl\n'],
  ['a long pipe', 'seq 1 200000 | cat | cat | tail -1', '200000\n'],
  ['here-documents and descriptors', 'exec 3>/tmp/f; cat >&3 <<E\n$((1+1))\nE\nexec 3>&-; cat /tmp/f; rm /tmp/f', '2\n'],
  ['jobs and wait', 'sleep 0.02 & wait $!; echo $?; (sleep 10) & kill $!; wait $!; echo $?', '0\n143\n'],
  ['traps', "trap 'echo bye' EXIT; (trap 'echo sub' EXIT; true); false; echo $?", 'sub\n1\nbye\n'],
  ['process substitution', 'cat <(echo a) <(echo b)', 'a\nb\n'],
  ['regular expressions', '[[ ab12 =~ ^([a-z]+)([0-9]+)$ ]] && echo ${BASH_REMATCH[2]}', '12\n'],
  ['a command that is not there', 'nope; echo $?', 'bash: line 1: nope: command not found\n127\n'],
  ['a text that does not parse', 'echo a; fi', "bash: line 1: syntax error near unexpected token `fi'\nbash: line 1: `echo a; fi'\n", 2],
  ['utilities', "printf 'b 2\\na 1\\n' | sort | tr a-z A-Z | cut -d' ' -f1 | uniq | wc -l; printf '%s\\n' x y | tac | paste -sd,", '2\ny,x\n'],
  ['files', 'mkdir -p d/e; echo hi > d/e/f; cp -r d g; rm -r d; cat g/e/f; ls g; rm -r g', 'hi\ne\n'],
  ['bytes stay bytes', "printf '\\377\\000\\200' | wc -c; printf '\\377' > b; wc -c < b; rm b", '3\n1\n'],
] // biome-ignore format: one script a line

/** What a workspace does, the same in every runtime. */
export const workspaceCases: readonly ContractCase<null>[] = [
  ...SCRIPTS.map(
    ([name, script, output, status = 0]): ContractCase<null> => ({
      name,
      run: async () => {
        const chunks: Uint8Array[] = []
        const workspace = new Workspace()
        const result = await workspace.shell(script, { cwd: '/tmp', onOutput: (bytes) => void chunks.push(bytes) })
        await workspace.close()
        deepEqual([chunks.map((chunk) => new TextDecoder().decode(chunk)).join(''), result.exitCode], [output, status])
      },
    }),
  ),
  {
    name: 'a session is found again under the same id',
    run: async () => {
      const store = new RAMWorkspaceStateStore()
      const first = new Workspace({}, { workspaceId: 'w', store })
      await first.shell('cd /tmp; x=7; a=(1 "b c"); f() { echo "$x ${a[1]}"; }; alias ll="ls -l"; umask 077')
      await first.close()
      const second = new Workspace({}, { workspaceId: 'w', store })
      equal((await second.shell('pwd; f; alias; umask')).stdoutText, "/tmp\n7 b c\nalias ll='ls -l'\n0077\n")
      deepEqual((await second.history()).length, 2)
      await second.close()
    },
  },
  {
    name: 'two instances see each other line by line',
    run: async () => {
      const store = new RAMWorkspaceStateStore()
      const [one, two] = [new Workspace({}, { workspaceId: 'w', store }), new Workspace({}, { workspaceId: 'w', store })]
      await one.shell('a=1')
      await two.shell('b=2')
      equal((await one.shell('echo $a$b')).stdoutText, '12\n')
      await one.close()
      await two.close()
    },
  },
  {
    name: 'an abort ends a busy line, and the session goes on',
    run: async () => {
      const workspace = new Workspace()
      await workspace.shell('x=1')
      const controller = new AbortController()
      setTimeout(() => controller.abort(new Error('enough')), 20)
      await rejects(workspace.shell('while :; do :; done', { signal: controller.signal }), 'AbortError')
      equal((await workspace.shell('echo $x')).stdoutText, '1\n')
      await workspace.close()
    },
  },
  {
    name: 'mounts are files for the shell and for the host',
    run: async () => {
      const files = new RAMFileSystem({ files: { '/in.txt': 'from the host\n' } })
      const workspace = new Workspace({ '/data': files })
      equal((await workspace.shell('cd /data; cat in.txt; echo back > out.txt')).stdoutText, 'from the host\n')
      equal(new TextDecoder().decode(await workspace.fs.read('/data/out.txt')), 'back\n')
      await workspace.close()
    },
  },
  {
    name: 'standard input comes in chunks, output goes out as it comes',
    run: async () => {
      const workspace = new Workspace()
      async function* chunks(): AsyncGenerator<Uint8Array> {
        for (const text of ['a\nb', '\nc\n']) yield new TextEncoder().encode(text)
      }
      const seen: string[] = []
      const result = await workspace.shell('while read -r l; do echo "<$l>"; done; echo done >&2', {
        stdin: chunks(),
        onOutput: (bytes, stream) => void seen.push(`${stream} ${new TextDecoder().decode(bytes)}`),
      })
      deepEqual([result.stdoutText, result.stderrText], ['<a>\n<b>\n<c>\n', 'done\n'])
      ok(seen.length >= 2)
      await workspace.close()
    },
  },
  {
    name: 'a profile rules what a session sees and runs',
    run: async () => {
      const profiles = { reader: { paths: { hide: ['*.pem'] }, commands: { deny: ['rm'] }, mounts: { '/data': 'read' as const } } }
      const files = new RAMFileSystem({ files: { '/a.pem': 'secret', '/b': '' } })
      const workspace = new Workspace({ '/data': files }, { profiles })
      const session = await workspace.session('r', { profile: 'reader' })
      const result = await session.shell('ls /data; cat /data/a.pem; rm /data/b; echo x > /data/b')
      equal(result.stdoutText, 'b\n')
      equal(
        result.stderrText,
        "cat: /data/a.pem: No such file or directory\nbash: line 1: rm: not permitted by the session's profile\nbash: line 1: /data/b: Read-only file system\n",
      )
      await workspace.close()
    },
  },
]
