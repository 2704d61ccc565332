import { REFUSED_REPLAY_OPTIONS } from './refused-options.ts'

/** An option of a word, as help shows it and the parser reads it. */
export interface WordOption {
  readonly name: string
  /** A letter that stands for it. */
  readonly letter?: string
  /** What its value is called; left out for a flag. */
  readonly value?: string
  /** May be given more than once. */
  readonly many?: true
  /** What it holds where it is given alone: the next word is its value only where it looks like a version. */
  readonly alone?: string
  /** Its value may be an empty text. */
  readonly mayBeEmpty?: true
  readonly says: string
}

/** A word of the command line that works on Jobs. */
export interface Word {
  /** With its second word, such as `checkpoint create`. */
  readonly name: string
  /** What follows the name in its usage line. */
  readonly usage: string
  readonly says: string
  readonly options: readonly WordOption[]
  /** Least and most operands. */
  readonly operands: readonly [least: number, most: number]
  /** What the first one is called; a JOB when left out. */
  readonly operand?: string
  /** A command may follow `--`. */
  readonly takesCommand?: true
  /** Why options that others have for this word are refused, besides those that every word refuses. */
  readonly refused?: ReadonlyMap<string, string>
  /** More about it, for its help. */
  readonly more?: string
}

const JSON_FLAG: WordOption = { name: 'json', says: 'one JSON document instead of text' }
const OUTPUT_DIR: WordOption = { name: 'output-dir', letter: 'o', value: 'DIR', says: 'look for the Job there instead of $MIRAGE_RUN_HOME' }
const KIND: WordOption = { name: 'kind', value: 'KIND', says: 'workspace (files) or execution (a running script with its files)' }
const REQUEST_ID: WordOption = { name: 'request-id', value: 'ID', says: 'a name for this request: asked again, it gives the same answer' }
const STDIO: WordOption = {
  name: 'stdio',
  value: 'MODE',
  says: 'inherit: pass output on (the default); capture: keep it in the bundle instead',
}

const TIMEOUT: WordOption = { name: 'timeout', value: 'TIME', says: 'how long to wait for whoever runs the script; 120s when left out' }
const SUSPEND_AFTER: WordOption = { name: 'suspend-after', value: 'TIME', says: 'suspend it after that time; for the machine' }
const CHECKPOINT: WordOption = { name: 'checkpoint', value: 'ID', says: 'the files of a checkpoint instead of those that are staged now' }

const SELECTORS = `JOB is the id of a Job or the beginning of one, the folder of its stage or a path in it, the folder it worked on (its latest Job),
or last: the latest Job of this folder that has no stage folder of its own.
`

export const WORDS: readonly Word[] = [
  {
    name: 'run',
    usage: '[OPTION…] -- COMMAND [ARG…]',
    says: 'run a command as a Job, its changes staged or not',
    operands: [0, 0],
    takesCommand: true,
    options: [
      { name: 'stage', value: 'DIR', says: 'keep its changes in DIR, which is made, until they are applied' },
      { name: 'name', value: 'NAME', says: 'a name for people' },
      {
        name: 'executor',
        value: 'NAME',
        says: 'host: a process of this machine (the default); machine: the shell of mirage, which can be suspended',
      },
      { name: 'timeout', value: 'TIME', says: 'end it after 100ms, 30s, 2m or 1h' },
      SUSPEND_AFTER,
      STDIO,
      { name: 'config', value: 'FILE', says: 'read options and command from a TOML file; the command line wins' },
      { name: 'access', value: 'GLOB:deny', many: true, says: 'paths that it may not use' },
      { name: 'clear-access', says: 'without the access rules of the configuration' },
      {
        name: 'mount',
        value: 'DIR[:PATH]:MODE',
        many: true,
        says: 'show another folder at PATH (its own name when left out); read, stage, or write: changes are made at once',
      },
      { name: 'pass-env', value: 'NAME', many: true, says: 'give the machine that variable; a process of the host has them all' },
      { name: 'workspace', value: 'DIR', says: 'the folder it works on; the current one when left out' },
      { name: 'command', letter: 'c', value: 'LINE', says: 'a line of shell instead of a command and its arguments' },
      { name: 'no-agent-defaults', says: 'accepted: there are no defaults for agents' },
      OUTPUT_DIR,
    ],
    more: `Without --stage the command changes the folder at once, and only the record is kept. With it the folder stays as it is until mirage apply.
The exit status is the command's; 130 where the Job was cancelled, 75 where it was suspended, 1 where it ended
without one, such as by its time limit. A process of the host that is run at a terminal has the terminal, unless with --stdio capture.
run may be left out where one of its own options comes first: mirage --name NAME -- COMMAND.

A configuration has the options as keys, with _ for -, and command, a list of words or a line:
  [run]
  name = "build"
  command = ["make", "all"]
  timeout = "2m"
  access = [".env:deny"]

Examples:
  mirage run --stage /tmp/job -- make all
  mirage review /tmp/job --diff && mirage apply /tmp/job
  mirage run --executor machine --stage /tmp/job -c 'for f in *.txt; do sort -o $f $f; done'
`,
  },
  {
    name: 'jobs',
    usage: '[OPTION…]',
    says: 'list the Jobs of this folder, latest last',
    operands: [0, 0],
    options: [{ name: 'all', says: 'those of every folder' }, JSON_FLAG, OUTPUT_DIR],
  },
  {
    name: 'status',
    usage: '[JOB] [OPTION…]',
    says: 'how a Job stands; last when left out',
    operands: [0, 1],
    options: [JSON_FLAG, { name: 'review', says: 'as mirage review' }, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'kill',
    usage: 'JOB [OPTION…]',
    says: 'end the command of a Job',
    operands: [1, 1],
    options: [JSON_FLAG, { name: 'review', says: 'as mirage review' }, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'review',
    usage: 'JOB [OPTION…]',
    says: 'what a Job did and what it proposes to change',
    operands: [0, 1],
    options: [
      { name: 'diff', says: 'with the changes line by line' },
      JSON_FLAG,
      CHECKPOINT,
      { name: 'max-diff-bytes', value: 'N', says: 'how much of all diffs is shown; 262144 when left out' },
      { name: 'max-diff-file-bytes', value: 'N', says: 'files that are larger are named only; 1048576 when left out' },
      OUTPUT_DIR,
    ],
    more: SELECTORS,
  },
  {
    name: 'inspect',
    usage: 'JOB [OPTION…] -- COMMAND [ARG…]',
    says: 'run a command over the files as a Job left them; nothing it changes stays',
    operands: [0, 1],
    takesCommand: true,
    options: [CHECKPOINT, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'apply',
    usage: 'JOB [OPTION…]',
    says: 'make the staged changes in the folder, all or some',
    operands: [1, 1],
    options: [
      { name: 'path', value: 'PATH', many: true, says: 'that path and what is below it' },
      { name: 'include', value: 'GLOB', many: true, says: 'paths that match; * stays in a folder, ** does not' },
      { name: 'exclude', value: 'GLOB', many: true, says: 'but not those that match' },
      { name: 'all', says: 'everything; the default' },
      { name: 'target', value: 'DIR', says: 'another folder than the one that the Job worked on' },
      OUTPUT_DIR,
    ],
    more: `Where something that is selected was changed by somebody else meanwhile, nothing is written. What is not selected stays on the stage.

${SELECTORS}`,
  },
  {
    name: 'drop',
    usage: 'JOB',
    says: 'throw away what is still staged; the record stays',
    operands: [1, 1],
    options: [OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'checkpoint create',
    usage: 'JOB [OPTION…]',
    says: 'keep what a Job has staged, to go back to',
    operands: [1, 1],
    options: [KIND, REQUEST_ID, TIMEOUT, JSON_FLAG, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'checkpoint list',
    usage: 'JOB [OPTION…]',
    says: 'list the checkpoints of a Job',
    operands: [1, 1],
    options: [KIND, JSON_FLAG, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'checkpoint show',
    usage: 'JOB ID [OPTION…]',
    says: 'show a checkpoint',
    operands: [2, 2],
    options: [JSON_FLAG, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'checkpoint delete',
    usage: 'JOB ID [OPTION…]',
    says: 'delete a checkpoint that no fork came from',
    operands: [2, 2],
    options: [JSON_FLAG, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'checkpoint gc',
    usage: 'JOB [OPTION…]',
    says: 'remove what unfinished checkpoints left behind',
    operands: [1, 1],
    options: [KIND, JSON_FLAG, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'replay',
    usage: '--agent NAME --trajectory FILE --after-step N [OPTION…]',
    says: 'run again what an agent did elsewhere, up to a step, on a stage',
    operands: [0, 0],
    refused: REFUSED_REPLAY_OPTIONS,
    options: [
      { name: 'agent', value: 'NAME', says: 'whose trajectory it is, such as mini-swe-agent or claude-code; auto: told from the file' },
      { name: 'trajectory', value: 'FILE', says: "the agent's own log" },
      { name: 'after-step', value: 'N', says: 'the boundary: how many complete steps are replayed' },
      { name: 'prepare-only', says: 'check it and write the prefix; nothing is run' },
      { name: 'replay-only', says: 'run the calls of the prefix, and stop; without either, a model goes on' },
      { name: 'model-endpoint', value: 'URL', says: 'chat completions of the model that goes on; its key is in $OPENAI_API_KEY' },
      { name: 'model', value: 'NAME', says: 'the name of that model' },
      { name: 'max-steps', value: 'N', says: 'most turns of the model, those of the prefix included' },
      { name: 'boundary-user-prompt', value: 'TEXT', mayBeEmpty: true, says: 'one message to the model after the boundary' },
      { name: 'disable-thinking', says: 'ask the model for answers without reasoning' },
      { name: 'agent-disallowed-tool', value: 'TOOL', many: true, says: 'a tool that the model may not call; for claude-code' },
      { name: 'workspace', value: 'DIR', says: 'the folder that the calls work on; the current one when left out' },
      { name: 'mount-at', value: 'PATH', says: 'where the calls see that folder; the directory that the trajectory names, else /' },
      { name: 'executor', value: 'NAME', says: 'machine: the shell of mirage (the default); host: processes of this machine' },
      { name: 'timeout-ms', value: 'N', says: 'milliseconds that one call may take' },
      { name: 'allow-stale-observations', says: 'take recorded observations for those that can not be made again' },
      {
        name: 'accept-version',
        value: 'VERSION',
        alone: 'any',
        says: 'take that version of the agent, too; alone: any of the same structure',
      },
      { name: 'sample', value: 'ID[/EPOCH]', says: 'which one, of a file that holds several' },
      { name: 'state-dir', value: 'DIR', says: 'where the journal is kept' },
      { name: 'output-dir', value: 'DIR', says: 'where the results are written' },
      { name: 'run-id', value: 'ID', says: 'the name of this run; made when left out' },
      { name: 'session-id', value: 'ID', says: 'what the model is told of the session; the run id when left out' },
      { name: 'report', value: 'FILE', says: 'a report for people; -: on standard error' },
      { name: 'config', value: 'FILE', says: 'read all of this from a TOML file instead' },
      { name: 'request', value: 'FILE', says: 'read all of this from a JSON file instead' },
    ],
    more: `Prints one line of JSON, also when it fails. The exit status is 0, or that of failure.category: 2 configuration_error, 10 trajectory_error,
11 unsupported_agent and unsupported_version, 20 workspace_error, 30 executor_error, 31 ambiguous_execution, 40 continuation_error and
model_…, 50 internal_error; 1 where only the report could not be written. What can not be understood as a command line is told on standard
error, with 2 and nothing on standard output.

The folder stays as it is: what the calls change is staged in a Job of the run's id, with a checkpoint after each step. Documents are in
STATE-DIR/RUN-ID and OUTPUT-DIR/RUN-ID; the two are below mirage-replay in the folder for temporary files when left out.

A configuration has the options as keys, with _ for -; folders in it are meant from its own:
  [replay]
  agent = "mini-swe-agent"
  trajectory = "run.traj.json"
  after_step = 12
  replay_only = true

Examples:
  mirage replay --agent auto --trajectory run.traj.json --after-step 3 --prepare-only
  mirage replay --agent auto --trajectory run.traj.json --after-step 3 --replay-only --run-id again --report - && mirage review again
`,
  },
  {
    name: 'fidelity',
    usage: 'FILE|FOLDER… [OPTION…]',
    says: 'run all calls of trajectories again, and count how many give what they gave',
    operands: [1, Number.POSITIVE_INFINITY],
    operand: 'FILE or FOLDER',
    options: [
      { name: 'workspace', value: 'DIR', says: 'over the files of that folder, which stays as it is; over none when left out' },
      { name: 'timeout-ms', value: 'N', says: 'milliseconds that one call may take; 30000 when left out' },
      JSON_FLAG,
    ],
    more: `A folder stands for all files below it that are called .json, .jsonl, .ndjson, .traj or .eval. Each is replayed by mirage replay --agent auto
--replay-only --accept-version --allow-stale-observations, in memory, as far as it can be: up to a submission, or a tool that can not be replayed.
SHARE is how many of the observations that can be compared are the same: exact of exact and differs. The exit status is 1 where nothing was replayed.
`,
  },
  {
    name: 'suspend',
    usage: 'JOB [OPTION…]',
    says: 'stop a running script of the machine so that it can go on later',
    operands: [1, 1],
    options: [REQUEST_ID, TIMEOUT, JSON_FLAG, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'resume',
    usage: 'JOB [OPTION…]',
    says: 'go on with a suspended script',
    operands: [1, 1],
    options: [STDIO, SUSPEND_AFTER, OUTPUT_DIR],
    more: SELECTORS,
  },
  {
    name: 'fork',
    usage: 'JOB [OPTION…] [-- COMMAND [ARG…]]',
    says: 'a new Job that begins with what another has staged',
    operands: [1, 1],
    takesCommand: true,
    options: [
      { name: 'state', value: 'STATE', says: 'workspace: its files and a new command (the default); execution: the running script itself' },
      { name: 'checkpoint', value: 'ID', says: 'from that checkpoint; one is made when left out' },
      { name: 'stage', value: 'DIR', says: 'keep its changes in DIR, which is made' },
      { name: 'name', value: 'NAME', says: 'a name for people' },
      REQUEST_ID,
      STDIO,
      OUTPUT_DIR,
    ],
    more: `Without a command it runs the same one again. The exit status is the command's.

${SELECTORS}`,
  },
]

/** True for what begins a word that works on Jobs. */
export function isJobWord(text: string): boolean {
  return WORDS.some(({ name }) => name.split(' ')[0] === text)
}

/** Whether an argument is an option that only `run` has, so that `run` may be left out before it. */
export function impliesRun(argument: string): boolean {
  return RUN_ONLY.has((argument.split('=')[0] as string).replace(/^--/, '')) && argument.startsWith('--')
}

const RUN_ONLY: ReadonlySet<string> = new Set([
  'stage',
  'name',
  'executor',
  'timeout',
  'stdio',
  'access',
  'clear-access',
  'pass-env',
  'no-agent-defaults',
  'suspend-after',
])
