import { part, setAttributes } from './element.ts'
import { remember, remembered } from './remembered.ts'

/** What a splitter moves. */
export interface SplitterOptions {
  readonly id: string
  readonly label: string
  /** The custom property of the page that holds the size in pixels. */
  readonly property: string
  readonly initial: number
  readonly min: number
  /** Pixels that must be left for the rest. */
  readonly rest: number
  /** `x`: between columns. */
  readonly axis: 'x' | 'y'
  /** 1 where the size grows as the splitter moves right or down, -1 where it shrinks. */
  readonly direction: 1 | -1
}

const STEP = 16

/** A bar between two panels: dragged, or moved with the arrow keys; a double press puts it back. */
export function openSplitter({ id, label, property, initial, min, rest, axis, direction }: SplitterOptions): void {
  const bar = part(id)
  const limit = (): number => Math.max(min, (axis === 'x' ? innerWidth : innerHeight) - rest)
  let size = Number(remembered(id) ?? initial)
  const set = (wanted: number): void => {
    size = Math.round(Math.max(min, Math.min(wanted, limit())))
    document.documentElement.style.setProperty(property, `${size}px`)
    setAttributes(bar, { 'aria-valuenow': size, 'aria-valuemin': min, 'aria-valuemax': limit() })
  }
  const keep = (): void => remember(id, String(size))
  setAttributes(bar, {
    role: 'separator',
    tabindex: 0,
    'aria-label': label,
    'aria-orientation': axis === 'x' ? 'vertical' : 'horizontal',
  })
  set(size)
  bar.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    bar.setPointerCapture(event.pointerId)
    const start = axis === 'x' ? event.clientX : event.clientY
    const before = size
    const move = (now: PointerEvent): void => set(before + ((axis === 'x' ? now.clientX : now.clientY) - start) * direction)
    bar.addEventListener('pointermove', move)
    bar.addEventListener(
      'lostpointercapture',
      () => {
        bar.removeEventListener('pointermove', move)
        keep()
      },
      { once: true },
    )
  })
  bar.addEventListener('dblclick', () => {
    set(initial)
    keep()
  })
  bar.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key]
    if (by === undefined) return
    event.preventDefault()
    set(size + by * direction)
    keep()
  })
  addEventListener('resize', () => set(size))
}
