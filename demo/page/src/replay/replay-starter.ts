import type { App } from '../app.ts'
import { button } from '../button.ts'
import { element } from '../element.ts'
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
  return {
    element: element(
      'section',
      { class: 'replay-starter' },
      element('h3', { class: 'job-title' }, 'Trajectories'),
      element(
        'p',
        { class: 'job-empty muted' },
        'What an agent did elsewhere: run its calls again here, staged, and see what comes out differently.',
      ),
      button({ label: 'Open a trajectory…', icon: 'upload', press: () => chooser.click() }),
      chooser,
    ),
  }
}
