/**
 * What lines cost on a store: `[name, { median, p99, requests }]` of each measure, in milliseconds and requests a line. Runs in any runtime.
 * @param {{ Workspace: any, open: () => any, lines: number, requests?: () => Promise<number> | number }} options `open` gives another instance
 *   on the same data, `requests` how many were sent so far
 */
export async function measureLines({ Workspace, open, lines, requests = () => Number.NaN }) {
  const workspaceId = `bench-${crypto.randomUUID()}`
  const stores = new Set()
  const instance = async () => {
    const store = open()
    stores.add(store)
    const workspace = new Workspace({}, { workspaceId, store })
    return { workspace, session: await workspace.session('main') }
  }
  const measured = async (count, run) => {
    const took = []
    let sent = 0
    for (let n = 0; n < count; n++) {
      const before = await requests()
      const start = performance.now()
      const after = await run(n)
      took.push(performance.now() - start)
      sent += (await requests()) - before
      await after?.()
    }
    took.sort((a, b) => a - b)
    return { median: took[count >> 1], p99: took[Math.ceil(count * 0.99) - 1], requests: sent / count }
  }

  const [one, two] = [await instance(), await instance()]
  const line = async ({ session }, text) => {
    const { durability } = await session.shell(text)
    if (durability !== 'committed') throw new Error(`a line is ${durability}`)
  }
  for (let n = 0; n < 20; n++) await line(n % 2 ? one : two, `warm=${n}`)
  const found = [
    ['echo hi', await measured(lines, () => line(one, 'echo hi'))],
    ['export X=…', await measured(lines, (n) => line(one, `export X=${n}`))],
    ['two instances in turn', await measured(lines, (n) => line(n % 2 ? one : two, `export X=${n}`))],
    ['history 10', await measured(lines, async () => void (await one.session.history(10)))],
    [
      'opened again',
      await measured(Math.ceil(lines / 10), async () => {
        const { workspace } = await instance()
        return () => workspace.close()
      }),
    ],
  ]
  await Promise.all([one, two].map(({ workspace }) => workspace.close()))
  await Promise.allSettled(Array.from(stores, (store) => store.close()))
  return found
}
