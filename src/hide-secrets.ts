/** Shorter ones would be found in any text. */
const SHORTEST = 6

/** A text of a server or a runtime, in which none of the secrets is seen, in whatever form they were sent. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let shown = text
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) shown = shown.replaceAll(form, '…')
  }
  return shown
}
