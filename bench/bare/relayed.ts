import https from 'node:https'

const transports = { 'https:': https, 'http:': process.getBuiltinModule('node:http') }

/** One call to the upstream as a Lambda answer, without any care. */
export async function relayed(address: string, headers: Record<string, string>) {
  const url = new URL(address)
  const transport = url.protocol === 'https:' ? transports['https:'] : transports['http:']
  return new Promise((resolve, reject) => {
    const request = transport.get(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ statusCode: response.statusCode, body: Buffer.concat(chunks).toString() }),
      )
    })
    request.on('error', reject)
  })
}
