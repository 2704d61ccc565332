import { WORDS } from './job-words.ts'

/** What `mirage --help` prints. */
export const helpText: string = `usage: mirage [OPTION…]                        open the workspace shell
       mirage [OPTION…] -c LINE [NAME [ARG…]]  run one line
       mirage [OPTION…] SCRIPT [ARG…]          run a script of this machine
       mirage [OPTION…] < SCRIPT               run what standard input holds
       mirage sessions [OPTION…]               list the workspace's sessions
       mirage history [OPTION…] [N]            show what a session ran, the last N lines
       mirage WORD [OPTION…]                   work on a Job: a command whose changes
                                               can wait for somebody to look at them

A workspace is a tree of mounts, a bash over it, and sessions that outlive the
process: directory, variables, functions, aliases and history are there again
when the same session is opened the next time. The exit status is the line's.

Which workspace:
  --root DIR          where state is kept; ~/.mirage/state when left out
  --workspace ID      its name; "default" when left out
  --session ID        the session to work in; the workspace's own when left out
  --mount PREFIX=DIR[:MODE]
                      show a folder of this machine under PREFIX; MODE is read,
                      write (the default) or exec; may be given more than once
  --config FILE       a workspace in YAML; the options above go over it
  --profile NAME      rules of the configuration for a session that is new

How a line runs:
  --cwd PATH          in that directory, and back afterwards
  --no-record         leave it out of the history
  --json              one JSON document instead of plain output

  -h, --help          this text
  -V, --version       the version

Without a mount for / the files of a workspace are kept below the state's folder.

Words for Jobs, each with a --help of its own:
${wordList()}
Examples:
  mirage
  mirage -c 'x=7; cd /tmp'
  mirage -c 'echo $x; pwd'                          prints 7 and /tmp
  mirage --mount /code=.:read -c 'grep -rn TODO /code | wc -l'
  mirage --workspace agent --session review ./check.sh src
  mirage --json -c 'ls /nowhere' | jq .exitCode
  mirage history --session review 20
  echo 'for i in 1 2 3; do echo $i; done' | mirage

Keys of the shell: arrows and those of Emacs (^A ^E ^K ^U ^W ^Y, Alt-B, Alt-F …),
^R to search the history, Tab to complete, ^C to stop a line, ^D to leave.
`

function wordList(): string {
  return WORDS.map(({ name, says }) => `  ${name.padEnd(18)}  ${says}\n`).join('')
}
