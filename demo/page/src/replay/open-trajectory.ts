import type { TrajectoryFacts } from 'mirage-runtime'
import { readTrajectory } from 'mirage-runtime'
import type { App } from '../app.ts'
import { ask } from '../dialog.ts'
import { element } from '../element.ts'
import { notify, notifyFailure } from '../notices.ts'
import { HOME } from '../open-workspace.ts'
import { replayView } from './replay-view.ts'

/** Reads a file, asks how far it is to be replayed, and shows the replay in the editor's place. */
export async function openTrajectory(app: App, file: File): Promise<void> {
  const trajectory = new Uint8Array(await file.arrayBuffer())
  const facts = await readTrajectory(trajectory, { acceptVersion: 'any' })
  const isThere = facts.directory !== null && (await isDirectory(app, facts.directory))
  const asked = await askSteps(facts, file.name, isThere)
  if (asked === null) return
  const { afterStep, mode, directory } = asked
  const request = {
    agent: facts.agent,
    trajectory,
    source: file.name,
    afterStep,
    directory,
    acceptVersion: 'any',
    allowStaleObservations: true,
  }
  if (mode === 'prepare') {
    const { result, fault } = await app.workspace.replay({ ...request, mode })
    if (fault !== null) return notifyFailure(`Could not prepare ${file.name}`, fault)
    notify({
      kind: 'success',
      title: `Prepared ${afterStep} of ${facts.steps} steps of ${file.name}`,
      text: `Nothing was run. It is kept as ${result.run_id}.`,
    })
    return
  }
  app.showTab({
    id: 'replay',
    label: `${file.name} (replay)`,
    tip: `${file.name}, replayed up to step ${afterStep}, ${new Date().toLocaleTimeString()}`,
    make: async () =>
      replayView(app, {
        title: file.name,
        run: async (onProgress, signal) => {
          const { report, fault } = await app.workspace.replay({ ...request, mode, onProgress, signal })
          app.changes.tell({ type: 'jobs' })
          if (report === null && fault !== null) throw fault
          if (fault !== null) notifyFailure(`The replay of ${file.name} stopped`, fault)
          return report
        },
      }),
  })
}

/** Shows a replay that was made before. */
export function openReplay(app: App, runId: string, title: string): void {
  app.showTab({
    id: 'replay',
    label: `${title} (replay)`,
    tip: `${title}, replayed as ${runId}`,
    make: async () => replayView(app, { title, run: () => app.workspace.replayReport(runId) }),
  })
}

interface Asked {
  readonly afterStep: number
  readonly mode: 'prepare' | 'replay'
  /** Stands for the agent's. */
  readonly directory: string
}

async function isDirectory({ fs }: App, path: string): Promise<boolean> {
  try {
    return (await fs.stat(path)).type === 'directory'
  } catch {
    return false
  }
}

async function askSteps(found: TrajectoryFacts, name: string, isThere: boolean): Promise<Asked | null> {
  const { agent, version, steps, replayable, stopped, directory } = found
  if (replayable === 0) throw new Error(stopped ?? 'It has no step with calls and all of their observations.')
  const input = element('input', {
    class: 'text-input',
    attributes: { type: 'number', min: 1, max: replayable, value: replayable, id: 'replay-steps', inputmode: 'numeric' },
    on: { keydown: goOn },
  })
  const folder = element('input', {
    class: 'text-input mono',
    attributes: {
      type: 'text',
      id: 'replay-folder',
      value: isThere && directory !== null ? directory : HOME,
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
    },
    on: { keydown: goOn },
  })
  const facts = [
    `${agent} ${version}, ${steps} ${steps === 1 ? 'step' : 'steps'}`,
    ...(directory === null
      ? []
      : [`worked in ${directory}${isThere ? '' : ', which this workspace does not have: lines that name it fail'}`]),
    ...(stopped === null ? [] : [`only ${replayable} can be replayed: ${stopped}`]),
  ]
  const mode = await ask<Asked['mode']>({
    title: `Replay ${name}`,
    body: [
      element('ul', { class: 'replay-facts' }, ...facts.map((fact) => element('li', {}, fact))),
      element('label', { class: 'replay-steps', attributes: { for: 'replay-steps' } }, 'Up to and with step ', input),
      element('label', { class: 'replay-steps', attributes: { for: 'replay-folder' } }, 'Lines begin in ', folder),
      element(
        'p',
        { class: 'muted' },
        'The calls run in this workspace, and what they change is staged: nothing is touched until you apply it.',
      ),
    ],
    choices: [
      { label: 'Prepare only', value: 'prepare' },
      { label: 'Replay', value: 'replay', kind: 'primary' },
    ],
  })
  const afterStep = Math.min(replayable, Math.max(1, Math.trunc(Number(input.value)) || replayable))
  return mode === null ? null : { afterStep, mode, directory: folder.value.trim() || '/' }
}

function goOn(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.target instanceof Element)) return
  // The key would press the button that the focus goes back to.
  event.preventDefault()
  event.target.closest('dialog')?.querySelector<HTMLElement>('.button-primary')?.click()
}
