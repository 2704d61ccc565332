/** What has changed in the workspace. */
export type Change =
  /** `moved`: where a file or folder was, and is now. */
  | { readonly type: 'files'; readonly moved?: { readonly from: string; readonly to: string } }
  /** A session was made or closed. */
  | { readonly type: 'sessions' }
  /** A line of this session ended. */
  | { readonly type: 'line'; readonly session: string }
  /** A Job was made or ended, or what waits on its stage is another. */
  | { readonly type: 'jobs' }
  /** Files and sessions are what they were at a checkpoint. */
  | { readonly type: 'restored' }
  /** Everything was thrown away. */
  | { readonly type: 'reset' }

/** Tells the panels of this tab, and those of the other tabs of this browser, what has changed. */
export interface Changes {
  tell(change: Change): void
  on(listener: (change: Change, from: 'here' | 'elsewhere') => void): void
}

export function openChanges(): Changes {
  const listeners: ((change: Change, from: 'here' | 'elsewhere') => void)[] = []
  const channel = openChannel()
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

/** Firefox refuses a channel to a page that may keep no data: there is nothing to share then. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel('mirage-page')
  } catch {
    return null
  }
}
