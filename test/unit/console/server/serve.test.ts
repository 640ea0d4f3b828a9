import { networkInterfaces } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { serveConsole } from '../../../../console/server/console.ts'

/** An address of this machine other than that of the console. */
const otherAddress = () =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.2'

it('the console can be reached from this machine alone', async () => {
  const console = {
    token: 'once',
    owns: () => true,
    respondTo: async (_: unknown, response: { end(text: string): unknown }) => void response.end('here'),
  }
  const served = await serveConsole(console as never, 0)
  onTestFinished(() => served.close())
  const { port, hostname, searchParams } = new URL(served.url)
  expect([hostname, searchParams.get('token')]).toEqual(['127.0.0.1', 'once'])
  expect(await (await fetch(served.url)).text()).toBe('here')
  await expect(fetch(`http://${otherAddress()}:${port}/`)).rejects.toThrow('fetch failed')
})
