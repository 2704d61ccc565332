/** Where the servers of a test run are, as plain data. */
export interface Addresses {
  readonly redis: { readonly url: string; readonly port: number }
  readonly upstash: { readonly url: string; readonly token: string; readonly readOnlyToken: string }
  readonly s3: {
    readonly endpoint: string
    readonly bucket: string
    readonly region: string
    readonly accessKeyId: string
    readonly secretAccessKey: string
  }
}
