import type { S3Client } from './s3-client.ts'
import type { S3World } from './s3-connection.ts'
import type { S3Settings } from './s3-options.ts'

/**
 * Loads what talks to a bucket when it is first needed, and gives the one client of the settings. Nothing is kept that is still waited for: in a
 * worker, the request that began it may be gone; in a page, what could not be loaded may be there next time.
 */
export function lazyS3Client(settings: S3Settings, world: Partial<S3World> = {}): () => Promise<S3Client> {
  let client: S3Client | null = null
  return async () => {
    const { S3Client } = await import('./s3-client.ts')
    client ??= new S3Client(settings, world)
    return client
  }
}
