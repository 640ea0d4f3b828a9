import { createServer } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { listen, type Served } from '../../local/embedded/listen.ts'
import { listenAt } from '../../local/gateway/port.ts'
import { isPortTaken } from '../../operator/port.ts'

const open: Served[] = []
afterEach(() => Promise.all(open.splice(0).map((served) => served.close())))

const portOf = ({ endpoint }: Served) => Number(new URL(endpoint).port)

async function taken(): Promise<number> {
  const served = await listen(createServer())
  open.push(served)
  return portOf(served)
}

it('listens at the next free port if the first one is taken', async () => {
  const port = await taken()
  const served = await listenAt(createServer(), { kind: 'from', port })
  open.push(served)
  expect(portOf(served)).toBeGreaterThan(port)
})

it('listens at any free port with port 0', async () => {
  const served = await listenAt(createServer(), { kind: 'exactly', port: 0 })
  open.push(served)
  expect(portOf(served)).toBeGreaterThan(0)
})

it('rejects if an exact port is taken', async () => {
  const port = await taken()
  const error: unknown = await listenAt(createServer(), { kind: 'exactly', port }).catch(
    (reason: unknown) => reason,
  )
  expect(isPortTaken(error)).toBe(true)
})
