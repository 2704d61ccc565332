import type { App } from '../app.ts'
import { button } from '../button.ts'
import { element } from '../element.ts'
import { droppedFiles, holdsFiles } from '../files/dropped-files.ts'
import { notifyFailure } from '../notices.ts'

/** Where a trajectory is opened, and replays that were made are opened again. */
export interface ReplayStarter {
  readonly element: HTMLElement
}

/** The part of the panel of Jobs that begins a replay; what shows one is loaded when it is needed. */
export function replayStarter(app: App): ReplayStarter {
  const chooser = element('input', {
    attributes: { type: 'file', hidden: true, 'aria-hidden': 'true', id: 'trajectory-chooser', accept: '.json,.jsonl,.ndjson,.traj,.eval' },
    on: {
      change: () => {
        const [file] = chooser.files ?? []
        chooser.value = ''
        if (file !== undefined) void open(file)
      },
    },
  })
  const open = async (file: File): Promise<void> => {
    try {
      const { openTrajectory } = await import('./open-trajectory.ts')
      await openTrajectory(app, file)
    } catch (error) {
      notifyFailure(`Could not read ${file.name}`, error)
    }
  }
  const drop = async (transfer: DataTransfer): Promise<void> => {
    try {
      const [first] = (await droppedFiles(transfer)).files
      if (first !== undefined) await open(first.file)
    } catch (error) {
      notifyFailure('Could not read what was dropped', error)
    }
  }
  const root: HTMLElement = element(
    'section',
    {
      class: 'replay-starter',
      on: {
        dragover: (event) => {
          if (!holdsFiles(event.dataTransfer)) return
          event.preventDefault()
          root.classList.add('drop-target')
        },
        dragleave: ({ relatedTarget }) => {
          if (!(relatedTarget instanceof Node && root.contains(relatedTarget))) root.classList.remove('drop-target')
        },
        drop: (event) => {
          root.classList.remove('drop-target')
          if (event.dataTransfer === null || !holdsFiles(event.dataTransfer)) return
          event.preventDefault()
          void drop(event.dataTransfer)
        },
      },
    },
    element('h3', { class: 'job-title' }, 'Trajectories'),
    element(
      'p',
      { class: 'job-empty muted' },
      'What an agent did elsewhere: run its calls again here, staged, and see what comes out differently. Drop its log here, or open it.',
    ),
    button({ label: 'Open a trajectory…', icon: 'upload', press: () => chooser.click() }),
    chooser,
  )
  return { element: root }
}
