import { RedisWorkspaceStateStore, Workspace } from 'mirage-runtime'

interface Bindings {
  readonly url: string
  readonly token: string
}

/** A worker that runs the line it is sent, on the workspace that the path names, which it opens for that request alone. */
export default {
  async fetch(request: Request, { url, token }: Bindings): Promise<Response> {
    const store = new RedisWorkspaceStateStore({ url, token, keyPrefix: `${new URL(request.url).pathname}:` })
    const ws = new Workspace({}, { workspaceId: 'agent', store, ownsStore: true })
    const { stdoutText, durability } = await ws.shell(await request.text())
    await ws.close()
    return Response.json({ stdoutText, durability })
  },
}
