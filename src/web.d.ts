// The web-standard globals the library may touch. What is not here does not exist for it: add a name only when every
// runtime (pages, workers, workerd without flags, Deno, Bun, Node) has it, or its use is guarded by typeof.

interface Console {
  error(...data: unknown[]): void
  warn(...data: unknown[]): void
}
declare const console: Console

interface AbortSignal extends EventTarget {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
}
interface AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
declare const AbortController: { new (): AbortController }
declare const AbortSignal: {
  abort(reason?: unknown): AbortSignal
  any(signals: readonly AbortSignal[]): AbortSignal
  timeout(milliseconds: number): AbortSignal
}

interface Event {
  readonly type: string
}
interface EventTarget {
  addEventListener(type: string, listener: (event: Event) => void, options?: { once?: boolean }): void
  removeEventListener(type: string, listener: (event: Event) => void): void
}

interface DOMException extends Error {
  readonly code: number
}
declare const DOMException: { new (message?: string, name?: string): DOMException }

interface TextDecoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
}
declare const TextDecoder: { new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder }
interface TextEncoder {
  encode(text: string): Uint8Array
  encodeInto(text: string, target: Uint8Array): { read: number; written: number }
}
declare const TextEncoder: { new (): TextEncoder }

declare function setTimeout(callback: () => void, ms?: number): unknown
declare function clearTimeout(id: unknown): void
declare function queueMicrotask(callback: () => void): void
declare const performance: { now(): number }

/** Cloudflare's; guarded by typeof. */
declare const scheduler: { wait(ms: number): Promise<void> }

interface MessagePort {
  onmessage: ((event: Event) => void) | null
  postMessage(message: unknown): void
  close(): void
}
declare const MessageChannel: { new (): { readonly port1: MessagePort; readonly port2: MessagePort } }

interface CryptoKey {
  readonly algorithm: { readonly name: string }
  readonly usages: readonly string[]
}
interface AesGcmParams {
  readonly name: 'AES-GCM'
  readonly iv: Uint8Array
  readonly additionalData: Uint8Array
}
interface SubtleCrypto {
  decrypt(algorithm: AesGcmParams, key: CryptoKey, data: Uint8Array): Promise<ArrayBuffer>
  digest(algorithm: string, data: Uint8Array): Promise<ArrayBuffer>
  encrypt(algorithm: AesGcmParams, key: CryptoKey, data: Uint8Array): Promise<ArrayBuffer>
  importKey(format: 'raw', bytes: Uint8Array, algorithm: string, extractable: boolean, usages: readonly string[]): Promise<CryptoKey>
}
declare const crypto: {
  getRandomValues(array: Uint8Array): Uint8Array
  randomUUID(): string
  readonly subtle: SubtleCrypto
}

declare function atob(text: string): string
declare function btoa(text: string): string
declare function structuredClone<T>(value: T): T

interface URLSearchParams {
  forEach(each: (value: string, name: string) => void): void
  get(name: string): string | null
}
interface URL {
  readonly hash: string
  readonly host: string
  readonly hostname: string
  readonly href: string
  readonly password: string
  readonly pathname: string
  readonly port: string
  readonly protocol: string
  readonly search: string
  readonly searchParams: URLSearchParams
  readonly username: string
}
declare const URL: { new (url: string, base?: string): URL; canParse(url: string): boolean }

interface Headers {
  forEach(each: (value: string, name: string) => void): void
  get(name: string): string | null
}
interface ReadableStream {
  getReader(): {
    read(): Promise<{ readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value?: undefined }>
  }
}
interface Response {
  readonly body: ReadableStream | null
  readonly headers: Headers
  readonly status: number
  readonly type: string
  arrayBuffer(): Promise<ArrayBuffer>
  text(): Promise<string>
}
/** Where `cache` is refused, its constructor refuses it. */
declare const Request: { new (url: string, init?: { readonly cache?: string }): unknown }
declare function fetch(
  url: string,
  init?: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Uint8Array | string
    readonly cache?: 'force-cache' | 'no-store'
    readonly redirect?: 'follow' | 'manual'
    readonly signal?: AbortSignal
  },
): Promise<Response>
