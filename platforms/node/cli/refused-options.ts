/** Why options that others have are refused, and what to use instead: by the option's name. */
export const REFUSED_OPTIONS: ReadonlyMap<string, string> = refusals()

function refusals(): ReadonlyMap<string, string> {
  const boundary =
    'there are no namespaces here that keep a process of the host away from other files; --executor machine runs a shell that reaches nothing but the folder'
  const network =
    'there is nothing here that stands between a process of the host and the network; --executor machine runs a shell that reaches no network'
  const limits = 'there is nothing here that bounds a process of the host but --timeout; --executor machine has limits of its own'
  const layers = 'a stage is one folder: give it with --stage DIR'
  const gateway = 'there is no gateway for models here'
  const all: readonly (readonly [reason: string, names: readonly string[]])[] = [
    [boundary, ['safe', 'strict', 'filesystem']],
    [network, ['overlaynet', 'overlaynet-allow', 'overlaynet-deny', 'overlaynet-limit', 'overlaynet-deny-all', 'overlaynet-policy']],
    [limits, ['memory', 'cpu', 'max-processes', 'max-cpu-time', 'max-open-files', 'max-file-size', 'overlayfs-max-size']],
    [layers, ['overlayfs-path', 'overlayfs-compose', 'overlayfs-commit']],
    ['there is nobody to ask while a Job runs: stage it, then review and apply', ['ask', 'tui']],
    ['a stage is written as it is, and what is answered is on the disk', ['stage-durability']],
    ['records are kept in $MIRAGE_RUN_HOME, or in the folder of the stage', ['record-destination']],
    ['give the options themselves, or a TOML file with --config', ['spec', 'result-file']],
    ['the memory of a script is part of its checkpoint, in one form', ['ram-storage', 'eager-ram']],
    [gateway, ['gateway', 'gateway-listen', 'gateway-config', 'gateway-capture', 'gateway-route']],
  ]
  return new Map(all.flatMap(([reason, names]) => names.map((name) => [name, reason] as const)))
}

/** The same for `mirage replay`. */
export const REFUSED_REPLAY_OPTIONS: ReadonlyMap<string, string> = replayRefusals()

function replayRefusals(): ReadonlyMap<string, string> {
  const program =
    'no program of an agent is started here: its calls are run by the workspace, and a model is asked directly (--model-endpoint)'
  const variables = 'the calls of an agent get no variables of this process; what its trajectory says is set'
  const all: readonly (readonly [reason: string, names: readonly string[]])[] = [
    [program, ['agent-entrypoint', 'agent-runtime']],
    ['problem files of a trajectory are not needed: nothing is asked of them when calls are run again', ['trajectory-assets']],
    ['what calls may do is bounded by --executor machine, which reaches nothing but the folder', ['policy']],
    [variables, ['inherit-env', 'pass-env']],
  ]
  return new Map(all.flatMap(([reason, names]) => names.map((name) => [name, reason] as const)))
}
