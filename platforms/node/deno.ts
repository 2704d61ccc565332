interface Permissions {
  querySync(descriptor: { readonly name: 'read' | 'write' }): { readonly state: string }
}

/** What Deno has and others don't; undefined elsewhere. */
const deno = (globalThis as { readonly Deno?: { readonly permissions: Permissions } }).Deno

/** Whether this is Deno, whose `node:fs` differs in places. */
export const inDeno: boolean = deno !== undefined

/** Deno gives symbolic links only to who may read and write everything, since it doesn't know where one leads. */
export function maySymlink(): boolean {
  return deno === undefined || (['read', 'write'] as const).every((name) => deno.permissions.querySync({ name }).state === 'granted')
}
