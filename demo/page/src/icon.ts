/** Outlines on a grid of 16. */
const OUTLINES = {
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  chevron: 'M6 4l4 4-4 4',
  folder: 'M1.75 12.25v-8.5a1 1 0 0 1 1-1h3l1.5 1.75h6a1 1 0 0 1 1 1v6.75a1 1 0 0 1-1 1h-10.5a1 1 0 0 1-1-1z',
  file: 'M9.25 1.75h-5a1 1 0 0 0-1 1v10.5a1 1 0 0 0 1 1h7.5a1 1 0 0 0 1-1v-8zM9.25 1.75v3.5h3.5',
  image: 'M2 3h12v10H2zM2 11l3.5-3.5 3 3 2-2L14 12M10.5 6h.01',
  link: 'M6.5 9.5l3-3M7 4.5l1-1a2.8 2.8 0 0 1 4 4l-1 1M9 11.5l-1 1a2.8 2.8 0 0 1-4-4l1-1',
  'new-file': 'M8.25 1.75h-4a1 1 0 0 0-1 1v10.5a1 1 0 0 0 1 1h3M8.25 1.75v3.5h3.5v2M12 9.5v5M9.5 12h5',
  'new-folder': 'M7 12.75H2.75a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1h3l1.5 1.75h6a1 1 0 0 1 1 1V7M12 9.5v5M9.5 12h5',
  upload: 'M8 10.5v-8M4.75 5.5L8 2.25 11.25 5.5M2.5 10v2.5a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1V10',
  download: 'M8 2.25v8M4.75 7.25L8 10.5l3.25-3.25M2.5 10v2.5a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1V10',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.5h3.5',
  edit: 'M10.75 2.5l2.75 2.75L6 12.75l-3.5.75.75-3.5zM9 4.25L11.75 7',
  state:
    'M5.5 2.5c-1.5 0-2 .75-2 2v1.75c0 1-.5 1.75-1.5 1.75 1 0 1.5.75 1.5 1.75v1.75c0 1.25.5 2 2 2M10.5 2.5c1.5 0 2 .75 2 2v1.75c0 1 .5 1.75 1.5 1.75-1 0-1.5.75-1.5 1.75v1.75c0 1.25-.5 2-2 2',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.75-4M2.5 2v2.75h2.75M8 5v3.25l2.25 1.25',
  run: 'M5 3l8 5-8 5z',
  insert: 'M13 4v4.5H4M7 5.5l-3 3 3 3',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13 9.5A5.75 5.75 0 0 1 6.5 3a5.25 5.25 0 1 0 6.5 6.5z',
  auto: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M8 5h4.5M8 8h6M8 11h4.5',
  help: 'M8 1.75a6.25 6.25 0 1 0 0 12.5 6.25 6.25 0 0 0 0-12.5zM6.25 6.25A1.8 1.8 0 0 1 8 4.75c1 0 1.75.6 1.75 1.5 0 1.25-1.75 1.4-1.75 2.75M8 11.25h.01',
  warning: 'M8 2.25L14.5 13.5h-13zM8 6.5v3M8 11.5h.01',
  info: 'M8 1.75a6.25 6.25 0 1 0 0 12.5 6.25 6.25 0 0 0 0-12.5zM8 7.25v4M8 4.75h.01',
  check: 'M3 8.5l3.25 3.25L13 4.5',
  refresh: 'M13.25 6.5a5.5 5.5 0 1 0 .25 2.5M13.5 2.75V6.5H9.75',
  jobs: 'M2 4.5l1.25 1.25L5.5 3.5M7.5 4.5H14M2 11.5l1.25 1.25 2.25-2.25M7.5 11.5H14M7.5 8H14',
  diff: 'M2 3h12v10H2zM8 3v10M4 8h2M10 8h2M11 7v2',
  back: 'M10 4L6 8l4 4',
  up: 'M8 12.5v-9M4.5 7L8 3.5 11.5 7',
  down: 'M8 3.5v9M4.5 9L8 12.5 11.5 9',
  stop: 'M4 4h8v8H4z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  fork: 'M4.5 5.75v4.5M4.5 5.75a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM4.5 13.75a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM11.5 5.75a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM11.5 5.75c0 2.5-2.5 3-7 4.5',
  flag: 'M3.5 14V2.5M3.5 3c3-1.75 5.5 1.75 9 0v6c-3.5 1.75-6-1.75-9 0',
  trash: 'M2.5 4.25h11M6 4.25V2.5h4v1.75M4 4.25l.75 9.25h6.5L12 4.25M6.75 7v4M9.25 7v4',
  'panel-left': 'M2 3h12v10H2zM6 3v10',
  'panel-right': 'M2 3h12v10H2zM10 3v10',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14',
} as const

export type IconName = keyof typeof OUTLINES

/** A drawing beside a text or in a labelled button: hidden from those who listen. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', `icon icon-${name}`)
  svg.setAttribute('viewBox', '0 0 16 16')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', OUTLINES[name])
  svg.append(path)
  return svg
}
