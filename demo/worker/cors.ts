/** What lets a page of this origin call the worker; null where it may not. */
export function corsHeaders(request: Request, origins: string | undefined): Readonly<Record<string, string>> | null {
  const origin = request.headers.get('origin')
  if (origin === null || origins === undefined) return null
  const allowed = origins.split(',').map((one) => one.trim())
  if (!allowed.includes('*') && !allowed.includes(origin)) return null
  return { 'access-control-allow-origin': origin, vary: 'Origin' }
}

/** The answer to a browser that asks before it calls. */
export function preflight(headers: Readonly<Record<string, string>>): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'authorization, content-type, range',
      'access-control-max-age': '600',
    },
  })
}
