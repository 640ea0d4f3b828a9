import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl, S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import { clientLimits } from '../../runtime/client-limits.ts'

/** Links by which anyone can read these objects for 15 minutes, in the order of the keys. Sends no request. */
export type SignLinks = (keys: readonly string[]) => Promise<readonly string[]>

const validSeconds = 15 * 60

/**
 * Signs many links with one resolution of endpoint and credentials. `getSignedUrl` resolves both for each link, which
 * takes seconds for a thousand links.
 */
export function createLinkSigner(bucket: string, client = new S3Client(clientLimits.bucket)): SignLinks {
  return async (keys) => {
    const [first] = keys
    if (first === undefined) return []
    const signed = await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: first }))
    const { protocol, hostname, port, pathname } = new URL(signed)
    const folder = pathname.slice(0, pathname.length - pathOf(first).length)
    const credentials = await client.config.credentials()
    const { region, sha256 } = client.config
    const signer = new S3RequestPresigner({ region, sha256, credentials })
    const request = {
      method: 'GET',
      protocol,
      hostname,
      ...(port !== '' && { port: Number(port) }),
      headers: { host: port === '' ? hostname : `${hostname}:${port}` },
    }
    const origin = `${protocol}//${request.headers.host}`
    return Promise.all(
      keys.map(async (key) => {
        const path = folder + pathOf(key)
        const object = { ...request, path, query: {} }
        const { query = {} } = await signer.presign(object, { expiresIn: validSeconds })
        const encoded = (value: unknown) => encodeURIComponent(String(value))
        const parameters = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`)
        return `${origin}${path}?${parameters.join('&')}`
      }),
    )
  }
}

const pathOf = (key: string) => key.split('/').map(encodeURIComponent).join('/')
