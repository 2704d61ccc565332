import { describe, test } from 'vitest'
import { RedisFileSystem } from '../../platforms/node/redis-file-system.ts'
import type { FileSystem } from '../../src/fs/file-system.ts'
import { S3FileSystem } from '../../src/fs/s3-file-system.ts'
import { fileSystemCases } from '../contract/file-system.ts'
import { newPrefix, WAYS } from './redis-stores.ts'
import { gatewayOptions } from './s3-bucket.ts'

/** What the table of runtimes does not have. */
const places: Readonly<Record<string, () => FileSystem>> = {
  'Redis over tcp': () => new RedisFileSystem({ ...WAYS.tcp, keyPrefix: newPrefix() }),
  'S3, conditional': () => new S3FileSystem({ ...gatewayOptions(), write: 'conditional', listingTtl: 0 }),
}

for (const [place, open] of Object.entries(places)) {
  describe(`file system: ${place}`, () => {
    const { capabilities } = open()
    for (const { name, needs, run } of fileSystemCases) {
      const lacking = needs?.find((need) => !capabilities[need])
      test.skipIf(lacking !== undefined)(lacking === undefined ? name : `${name} (lacks ${lacking})`, { timeout: 120_000 }, async () => {
        const fs = open()
        await run({ fs, share: 0.2 })
        await fs.close()
      })
    }
  })
}
