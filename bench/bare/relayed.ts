import https from 'node:https'

const transports = { 'https:': https, 'http:': process.getBuiltinModule('node:http') }

/** Forwards one call and returns the response for Lambda, without any error handling. */
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
