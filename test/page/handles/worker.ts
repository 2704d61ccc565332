import { operations } from './operations.ts'

addEventListener('message', async ({ data, ports: [port] }) => {
  const { name, args } = data as { name: keyof typeof operations; args: readonly unknown[] }
  try {
    port?.postMessage({ value: await (operations[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args) })
  } catch (error) {
    port?.postMessage({ error: String(error) })
  }
})
