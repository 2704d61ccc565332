/** What has changed in the workspace. */
export type Change =
  | { readonly type: 'files' }
  /** A session was made or closed. */
  | { readonly type: 'sessions' }
  /** A line of this session ended. */
  | { readonly type: 'line'; readonly session: string }
  /** Everything was thrown away. */
  | { readonly type: 'reset' }

/** Tells the panels of this tab, and those of the other tabs of this browser, what has changed. */
export interface Changes {
  tell(change: Change): void
  on(listener: (change: Change, from: 'here' | 'elsewhere') => void): void
}

export function openChanges(): Changes {
  const listeners: ((change: Change, from: 'here' | 'elsewhere') => void)[] = []
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('mirage-page') : null
  channel?.addEventListener('message', ({ data }: MessageEvent<Change>) => {
    for (const listener of listeners) listener(data, 'elsewhere')
  })
  return {
    tell: (change) => {
      channel?.postMessage(change)
      for (const listener of listeners) listener(change, 'here')
    },
    on: (listener) => {
      listeners.push(listener)
    },
  }
}
