/** Tells the runner something. */
export async function report(message: Readonly<Record<string, unknown>>): Promise<void> {
  await fetch('/report', { method: 'POST', body: JSON.stringify(message) })
}
