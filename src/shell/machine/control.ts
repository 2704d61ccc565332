import type { Frame, Loop, Process } from './process.ts'
import { NO_LOOPS } from './process.ts'

/** A loop starts: `next` is where a turn begins, `end` where the loop's own end stands. */
export function startLoop(process: Process, next: number, end: number, items: readonly string[]): void {
  const { frame } = process
  if (frame.loops === NO_LOOPS) frame.loops = []
  frame.loops.push({
    next,
    end,
    items,
    index: 0,
    status: 0,
    stackHeight: process.stack.length,
    undoHeight: process.undo.length,
    conditionDepth: process.conditionDepth,
  })
}

/** The body has run: the loop's status is the body's. */
export function keepLoopStatus(process: Process): void {
  ;(process.frame.loops.at(-1) as Loop).status = process.status
}

/** The body has run; the next turn begins. */
export function nextTurn(process: Process, next: number): void {
  keepLoopStatus(process)
  process.frame.counter = next
}

/** The loop is over. */
export function endLoop(process: Process): void {
  keepPipeStatus(process)
  process.status = (process.frame.loops.pop() as Loop).status
}

/** A compound command is about to set `$?`: PIPESTATUS stays that of the last pipeline in it. */
export function keepPipeStatus(process: Process): void {
  process.environment.pipeStatus ??= [process.status]
}

/** How many loops surround what runs: those of this function, seen through `eval` and traps. */
export function loopDepth(process: Process): number {
  let depth = 0
  for (let i = process.frames.length - 1; i >= 0; i--) {
    const frame = process.frames[i] as Frame
    depth += frame.loops.length
    if (frame.scope !== null && frame.scope.boundary !== 'source') break
  }
  return depth
}

/** `break n` and `continue n`. The caller has checked that there is a loop. */
export function leaveLoops(process: Process, levels: number, how: 'break' | 'continue', status = 0): void {
  let left = Math.min(levels, loopDepth(process))
  for (;;) {
    const { frame } = process
    while (frame.loops.length > 0 && left > 1) {
      frame.loops.pop()
      left -= 1
    }
    const loop = frame.loops.at(-1)
    if (loop !== undefined) {
      unwindTo(process, loop)
      loop.status = status
      process.frame.counter = how === 'break' ? loop.end : loop.next
      return
    }
    process.leave()
  }
}

function unwindTo(process: Process, loop: Loop): void {
  if (process.undo.length > loop.undoHeight) process.restore(loop.undoHeight)
  process.stack.length = loop.stackHeight
  process.conditionDepth = loop.conditionDepth
}

/** True where `return` has something to end. */
export function canReturn(process: Process): boolean {
  return process.frames.some((frame) => frame.scope !== null)
}

/** `return`: leaves everything up to the function or sourced file. */
export function returnFrom(process: Process, status: number): void {
  for (;;) {
    const { frame } = process
    const last = frame.scope !== null
    if (last && frame.scope?.boundary === 'subshell') {
      process.machine.exit(process, status)
      return
    }
    process.status = status
    process.leave()
    if (last) return
  }
}
