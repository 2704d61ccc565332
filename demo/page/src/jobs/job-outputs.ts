/** What Jobs that were started in this tab have written. */
export interface JobOutputs {
  /** Takes the output of a Job that is about to start, after what it has written before, and then hears which one that is. */
  begin(before: string): { readonly write: (bytes: Uint8Array) => void; readonly named: (job: string) => void }
  /** Undefined where another tab, or an earlier page, ran it. */
  of(job: string): string | undefined
  /** Calls with the id of each Job that writes something. */
  onMore(listener: (job: string) => void): void
}

/** Characters that are kept of each Job. */
const MOST = 256 * 1024

export function jobOutputs(): JobOutputs {
  const texts = new Map<string, () => string>()
  const listeners: ((job: string) => void)[] = []
  return {
    begin: (before) => {
      const decoder = new TextDecoder()
      let text = before
      let id: string | null = null
      return {
        write: (bytes) => {
          if (text.length >= MOST) return
          text = `${text}${decoder.decode(bytes, { stream: true })}`.slice(0, MOST)
          if (id !== null) for (const listener of listeners) listener(id)
        },
        named: (job) => {
          id = job
          texts.set(job, () => text)
        },
      }
    },
    of: (job) => texts.get(job)?.(),
    onMore: (listener) => {
      listeners.push(listener)
    },
  }
}
