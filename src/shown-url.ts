/** A URL as a message may show it: without the password and all else that may be a secret. Nothing of a text that is none. */
export function shownUrl(text: string): string {
  if (text === '') return '""'
  const url = URL.canParse(text) ? new URL(text) : null
  const hasUser = url !== null && (url.username !== '' || url.password !== '')
  // A password with a slash in it ends the host too early.
  if (url === null || url.hostname === '' || (text.includes('@') && !hasUser)) return 'a text that is not shown here'
  const user = !hasUser ? '' : url.password === '' ? '…@' : `${url.username}:…@`
  const path = url.pathname.length > 1 || url.search !== '' || url.hash !== '' ? '/…' : url.pathname
  return JSON.stringify(`${url.protocol}//${user}${url.host}${path}`)
}
