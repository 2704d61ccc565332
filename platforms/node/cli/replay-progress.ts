import type { ReplayProgress } from '../../../src/replay/request.ts'

/** Tells a person what a replay is at, in one line that changes; says nothing where no person sits. */
export function replayProgress(stream: NodeJS.WriteStream): { show(progress: ReplayProgress): void; end(): void } {
  const clear = '\r\u001b[K'
  let isShown = false
  return {
    show: ({ step, of, call }) => {
      if (!stream.isTTY) return
      isShown = true
      const text = `step ${step}${of === null ? '' : ` of ${of}`}: ${printable(call)}`
      stream.write(clear + text.slice(0, stream.columns - 1))
    },
    end: () => {
      if (isShown) stream.write(clear)
      isShown = false
    },
  }
}

function printable(text: string): string {
  return text.replace(/[^\u0020-\u007e\u00a0-\uffff]/g, '?')
}
